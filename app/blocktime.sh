#!/bin/sh
# The command `blocktime`. It starts Python with SIGINT blocked, not ignored: an interrupt that comes before
# its module can answer it waits until then. GNU env can do this from coreutils 8.31 on; elsewhere Python starts as it is.
self=$0
[ -L "$self" ] && self=$(readlink -f -- "$self")
set -- "${self%/*}/blocktime-python" "$@"
env --block-signal=WINCH true 2>/dev/null && set -- env --block-signal=INT "$@"
exec "$@"
