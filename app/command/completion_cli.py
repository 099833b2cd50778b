"""``blocktime completion``: the script by which a shell completes commands, scenarios, fields and catalog entries."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from blocktime.app.base.output import print_lines

SHELLS: Final = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
VARIABLE: Final = "_BLOCKTIME_COMPLETE"
WHOLE_WORDS: Final = "COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}\n"
"""KEY=VALUE is one word for bash, too."""
NO_SPACE: Final = '    [[ "${COMPREPLY[0]}" == *= ]] && compopt -o nospace\n\n    return 0'
"""Behind ``KEY=`` its value follows at once."""


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script by which a shell completes commands, options, scenarios, fields and catalog entries.

    bash: eval "$(blocktime completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc, behind compinit. fish: blocktime
    completion fish > ~/.config/fish/completions/blocktime.fish.
    """
    made = SHELLS[shell](ctx.find_root().command, {}, "blocktime", VARIABLE)
    text = made.source_template % made.source_vars()
    if shell == "bash":
        text = WHOLE_WORDS + text.replace("    return 0", NO_SPACE)
    print_lines([text.strip()])
