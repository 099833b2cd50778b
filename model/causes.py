"""What time goes to: wait events as Oracle names them, and the causes that no event names."""

from __future__ import annotations

from typing import Final

CPU: Final = "CPU"
BUFFER_GETS: Final = "buffer gets"
FETCHES: Final = "fetching rows"
UPDATING: Final = "updating rows"
INSERTING: Final = "inserting rows"
DELETING: Final = "deleting rows"
MIGRATING: Final = "migrating rows"
SEARCHING: Final = "searching for space"
COPIED: Final = "copying from the page cache in io_submit"

DIRECT: Final = "direct path read"
SCATTERED: Final = "db file scattered read"
SEQUENTIAL: Final = "db file sequential read"
OTHER_SESSION: Final = "read by other session"
BUFFER_BUSY: Final = "buffer busy waits"
LATCH: Final = "latch: cache buffers chains"
FREE_BUFFERS: Final = "free buffer waits"
LOG_SPACE: Final = "log buffer space"
LOG_FILE_SYNC: Final = "log file sync"
TO_CLIENT: Final = "SQL*Net message to client"
FROM_CLIENT: Final = "SQL*Net message from client"
MORE_DATA: Final = "SQL*Net more data to client"

DEVICE: Final = "waiting for the device"
ROOM: Final = "waiting for room in the queue (nr_requests)"
HELD: Final = "held back by the page cache"
COMMIT: Final = "waiting for a commit of the journal"
FSYNC: Final = "fsync"
THINKING: Final = "between calls"

RUN_QUEUE: Final = "waiting for a processor"
SENT_TWICE: Final = "CPU of SQL*Net sends, counted in both CPU and wait"
BETWEEN_CALLS: Final = "between calls (mostly writing the trace)"
SUBMIT_BLOCKED: Final = "blocked in io_submit, which no event names"
AT_ONCE: Final = "calls under way at once"
SLOWEST: Final = "waiting for the slowest program"
NO_CAUSE: Final = "no cause"
