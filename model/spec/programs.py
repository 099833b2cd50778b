"""What every kind of workload says of itself, so that nobody has to ask which it is; and the programs beside it."""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, cast

from pydantic import create_model, field_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, Real, Seconds, setting
from blocktime.model.spec.kinds import OfItsKind
from blocktime.model.spec.segments import Table

if TYPE_CHECKING:
    from blocktime.model.spec import System
    from blocktime.model.spec.transactions import Transaction

LEAST_PRECISION_PERCENT: Final = 0.01
MOST_PRECISION_PERCENT: Final = 50.0

KINDS: Final[dict[str, type["Work"]]] = {}
"""Kind -> what is asked of the system by work of that kind; :mod:`model.spec.workloads` fills it."""


def work_of(kind: str) -> type["Work"] | None:
    """The class of work of *kind*; None where there is no such kind."""
    return KINDS.get(kind)


@cache
def beside_of(kind: str) -> type["Beside"]:
    """Work of *kind* as it may stand beside other work."""
    work = KINDS[kind]
    name, bases = f"{work.__name__}Beside", cast(tuple[type[Beside]], (Beside, work))
    return create_model(name, __base__=bases, __doc__=work.__doc__, __module__=__name__, beside=(tuple[()], NONE))


def __getattr__(name: str) -> type["Beside"]:
    """The class of a program by its name, where pickle looks for it."""
    for kind, work in KINDS.items():
        if name == f"{work.__name__}Beside":
            return beside_of(kind)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


Program = Annotated[Any, OfItsKind(lambda: KINDS, beside_of)]
"""What may stand beside other work."""


class Work(Frozen):
    """A workload, with the programs beside it on the same machine; a kind that differs from most says so here."""

    kind: str
    beside: tuple[Program, ...] = setting((), GENERAL, words="batch batch_job rman backup", max_length=16)
    """Other programs on the same machine, at the same time."""

    precision_percent: Real = setting(2.0, GENERAL, within=(LEAST_PRECISION_PERCENT, MOST_PRECISION_PERCENT))
    """Precision of the mean response, else of the elapsed time: half-width of its 95 % confidence interval."""

    @field_validator("beside", mode="before")
    @classmethod
    def _as_programs(cls, programs: Any) -> Any:
        """Work of any kind that stands on its own may be given as a program, too."""
        if not isinstance(programs, list | tuple):
            return programs
        return tuple(_as_program(program) for program in programs)

    @property
    def programs(self) -> tuple[Any, ...]:
        """This work, and those beside it."""
        return (self, *self.beside)

    law_sources: ClassVar[tuple[str, ...]] = ()
    """Sources of the laws that answer it, whatever its fields say."""
    plays_rows: ClassVar[bool] = False
    """Whether it changes rows of its table, which are played through their blocks."""
    inserts: ClassVar[bool] = False
    """Whether the rows that it changes are new ones, in blocks that it formats."""
    deletes: ClassVar[bool] = False
    """Whether the rows that it changes go, and undo keeps all of them."""

    asks_the_kernel: ClassVar[bool] = False
    """Whether its calls go through the kernel's block layer or page cache one by one."""

    @property
    def mixed(self) -> tuple["Transaction", ...]:
        """The kinds of transactions that it mixes."""
        return ()

    @property
    def chance_fraction(self) -> float:
        """Half the interval that a mean of one simulation has by itself, over the mean; 0 where it has none."""
        return 0.0

    @property
    def scans_blocks(self) -> bool:
        """Whether it may read several blocks at once."""
        return True

    def opened_as(self, system: "System") -> str:
        """How its files are opened."""
        return system.database_path

    @property
    def at_random(self) -> bool:
        """Whether the rows that it changes come in any order, not block by block."""
        return False

    @property
    def sessions(self) -> Any:
        """Sessions that do it at the same time."""
        return self.users  # type: ignore[attr-defined]

    @property
    def passes(self) -> int:
        """How often it goes over the rows that it changes."""
        return 1

    @property
    def added_rows(self) -> int:
        """Rows that the table has more of afterwards than before."""
        return 0

    @property
    def rows_a_call(self) -> int:
        """Rows that one call of the client brings."""
        return 1

    @property
    def by_direct_path(self) -> bool:
        """Whether its rows go into blocks above the high-water mark, without undo of their own."""
        return False

    def changes_of_rows(self, table_rows: int) -> int:
        """How many rows of a table it changes, all passes together."""
        return self.added_rows


def _as_program(program: Any) -> Any:
    """Fields of a program, or what is no program; one without a kind reads."""
    if isinstance(program, Work) and not isinstance(program, Beside):
        return program.model_dump(exclude_unset=True) | {"kind": program.kind}
    return {"kind": "read_stream"} | program if isinstance(program, dict) else program


class Beside(Frozen):
    """What a program beside another one has besides: when it begins, and a table of its own."""

    begin_s: Seconds = setting(0.0, GENERAL, within=(0, 86_400))
    """When it begins, after the first program."""
    table: Table | None = setting(None, GENERAL)
    """The table it works on; the scenario's if not set."""
    changes_fraction: Real = setting(0.0, GENERAL, within=(0, 1))
    """Of the changes of transactions those to blocks of a statement's table, whichever of the two it is: the statement
    reads undo for what has changed since it began."""


def whole_share(rows: int, fraction: float) -> int:
    """Whole rows of a share of a table's rows."""
    return int(rows * fraction + 1e-9)


NONE = setting((), GENERAL, max_length=0)
