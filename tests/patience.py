"""How long a test waits for what must come, however loaded the machine is; what does not come ends the test."""

from typing import Final

LIMIT_S: Final = 400
LIMIT_MS: Final = 1000 * LIMIT_S
