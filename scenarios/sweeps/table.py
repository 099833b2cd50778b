"""The table of a sweep as Parquet, CSV or Excel: streamed in groups of rows, and never half-written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError
from blocktime.model.extras import check_installed

if TYPE_CHECKING:
    import pyarrow as pa  # heavy, so it waits until there is something to write or read

Kind = Literal["real", "whole", "text", "flag"]
Values = Sequence[Any] | NDArray[Any]

GROUP_ROWS: Final = 65_536  # of Parquet, whatever comes in: the same rows give the same bytes
ABOUT: Final = b"blocktime"
MOST_EXCEL_ROWS: Final = 2**20 - 1  # beside the heads

_TAKES: Final[Mapping[Kind, str]] = {
    "real": "numbers",
    "whole": "whole numbers of up to 64 bits",
    "text": "text",
    "flag": "true or false",
}
_ARROW_NAMES: Final[Mapping[type, str]] = {str: "string", bool: "bool", int: "int64", float: "double"}
_OPEN_FILES: Final = "/proc/self/fd"
_TO_BE_QUOTED: Final = re.compile('[,"\r\n]|^$')


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name, what it holds, its unit (empty where it has none) and what it says."""

    name: str
    kind: Kind
    unit: str
    says: str


def check_place(path: Path, force: bool) -> None:
    """Complain before the work about a *path* that no table can be written to."""
    if package := NEEDS.get(_form(path)):
        check_installed(package)
    for file in _files_of(path):
        try:
            folder, exists = file.resolve().parent, file.exists()
        except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a name too long
            raise SpecError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
        if not folder.is_dir():
            raise SpecError(f"{file}: there is no folder {folder} to write it into")
        if exists and not file.is_file():
            raise SpecError(f"{file}: is not a file that could be replaced")
        if exists and not force:
            raise SpecError(f"{file}: exists; --force replaces it")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise SpecError(f"{file}: the folder {folder} may not be written")


@contextmanager
def open_table(
    path: Path, columns: Sequence[TableColumn], about: Mapping[str, Any], force: bool = False
) -> Iterator[TableWriter]:
    """A table to write to; it is at *path* once the block is left normally, and nowhere otherwise."""
    check_place(path, force)
    names = [column.name for column in columns]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SpecError(f"{path}: two columns are named {twice!r}")
    with _in_one_sentence(path):
        table = WRITERS[_form(path)](path, columns, about)
    try:
        yield table
        with _in_one_sentence(path):
            table.write_rest()
            check_place(path, force)
            table.keep()
    finally:
        table.close()


class TableWriter(Protocol):
    """A table that is being written."""

    def write(self, block: Mapping[str, Values]) -> None:
        """Add rows: a value for each row, by column; None and NaN are missing."""

    def write_rest(self) -> None:
        """Write the rows that wait for others."""

    def keep(self) -> None:
        """Finish the file and give it its name."""

    def close(self) -> None:
        """Let go of the file; it is gone unless it was kept."""


def check_block(columns: Sequence[TableColumn], block: Mapping[str, Values]) -> None:
    """Raise ValueError for a block of other columns, or with columns of several lengths."""
    if block.keys() != {column.name for column in columns}:
        raise ValueError(f"a block has the columns {', '.join(column.name for column in columns)}")
    if len({len(values) for values in block.values()}) > 1:
        raise ValueError("the columns of a block are of one length")


class ParquetTable:
    """Typed columns, each with its unit and description, in groups of one length whatever blocks come.

    What the table is about is in the schema's metadata.
    """

    def __init__(self, path: Path, columns: Sequence[TableColumn], about: Mapping[str, Any]) -> None:
        from pyarrow.parquet import ParquetWriter

        self._path = path
        self._columns = columns
        self._schema = _schema(columns)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        schema = self._schema.with_metadata({ABOUT: _json(about)})
        texts = [column.name for column in columns if column.kind == "text"]
        self._part = _Part(path)
        self._writer = ParquetWriter(self._part.file, schema, compression="zstd", use_dictionary=texts)

    def write(self, block: Mapping[str, Values]) -> None:
        """As :meth:`TableWriter.write`."""
        import pyarrow as pa

        check_block(self._columns, block)
        batch = pa.RecordBatch.from_arrays(
            [self._array(column, block[column.name]) for column in self._columns], schema=self._schema
        )
        self._waiting_rows += batch.num_rows
        # Small blocks are joined by pairs of like size: many of one row would else take many times their memory.
        while self._waiting and self._waiting[-1].num_rows <= batch.num_rows:
            batch = _joined([self._waiting.pop(), batch])
        self._waiting.append(batch)
        if self._waiting_rows >= GROUP_ROWS:
            self._hand_on(self._waiting_rows // GROUP_ROWS * GROUP_ROWS)

    def write_rest(self) -> None:
        """As :meth:`TableWriter.write_rest`."""
        if self._waiting_rows:
            self._hand_on(self._waiting_rows)

    def keep(self) -> None:
        """As :meth:`TableWriter.keep`."""
        self._writer.close()
        self._part.keep()

    def close(self) -> None:
        """As :meth:`TableWriter.close`."""
        with suppress(OSError):  # an abandoned file's last lines are of no use
            self._writer.close()
        self._part.close()

    def _hand_on(self, rows: int) -> None:
        batch = _joined(self._waiting)
        with _in_one_sentence(self._path):
            self._writer.write_batch(batch.slice(0, rows), row_group_size=GROUP_ROWS)
        self._waiting_rows -= rows
        self._waiting = [_joined([batch.slice(rows)])] if self._waiting_rows else []

    def _array(self, column: TableColumn, values: Values) -> pa.Array:
        """*values* in the type of *column*; a copy, because a caller may fill the same array again."""
        import pyarrow as pa

        kind = column.kind
        wanted = _types()[kind]
        try:
            if (usual := _of_buffers(values, kind)) is not None:
                return usual
            array = pa.array(np.array(values) if isinstance(values, np.ndarray) else values, from_pandas=True)
            if array.null_count == len(array):
                return pa.nulls(len(array), wanted)
            if not _fits(array.type, kind):
                raise TypeError(f"got {array.type}")
            return array.cast(wanted, safe=kind != "real")  # a whole number beyond 2**53 may become a real one
        except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:
            raise SpecError(f"{self._path}: column {column.name!r}: {error}; it takes {_TAKES[kind]}") from error


def read_table(path: Path) -> tuple[dict[str, Values], list[TableColumn], dict[str, Any]]:
    """The values by column, the columns and what the table is about, of a table that was written here.

    Missing are NaN among real numbers and None otherwise.
    """
    import pyarrow as pa

    reader = _read_parquet if _form(path, READ_AGAIN) == ".parquet" else _read_csv
    try:
        table, columns, about = reader(path)
        values = {column.name: _plain(table.column(column.name), column.kind) for column in columns}
    except OSError as error:
        if error.strerror:
            raise SpecError(f"{path}: {error.strerror}") from error
        raise SpecError(f"{path}: is damaged, or not a table of a sweep") from error
    except (ValueError, KeyError, TypeError, RecursionError, pa.ArrowException) as error:
        raise SpecError(f"{path}: is damaged, or not a table of a sweep") from error
    return values, columns, about


class CsvTable:
    """RFC 4180: text in quotes, a missing value as an empty cell; columns and what it is about in a file beside it."""

    def __init__(self, path: Path, columns: Sequence[TableColumn], about: Mapping[str, Any]) -> None:
        self._about = {"columns": [asdict(column) for column in columns], "about": dict(about)}
        _json(self._about)  # what cannot be written is better said now than after the work
        self._path = path
        self._columns = columns
        self._part, self._beside = (_Part(file) for file in _files_of(path))
        self._write_lines([",".join(_heading(column.name) for column in columns)])

    def write(self, block: Mapping[str, Values]) -> None:
        """As :meth:`TableWriter.write`."""
        check_block(self._columns, block)
        cells = [cells_of(self._path, column, block[column.name], _csv_text) for column in self._columns]
        with _in_one_sentence(self._path):
            self._write_lines(map(",".join, zip(*cells, strict=True)))

    def write_rest(self) -> None:
        """Nothing waits."""

    def keep(self) -> None:
        """As :meth:`TableWriter.keep`."""
        self._part.file.flush()
        size = {"bytes": self._part.file.tell()}  # which tells the file that it belongs to
        self._beside.file.write(_json(self._about | size, indent=1) + b"\n")
        self._beside.file.flush()
        self._part.keep()
        self._beside.keep()

    def close(self) -> None:
        """As :meth:`TableWriter.close`."""
        self._part.close()
        self._beside.close()

    def _write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._part.file.write(f"{line}\r\n".encode())


class ExcelTable:
    """A workbook of three sheets: the points, what the columns are, and what the table is about."""

    def __init__(self, path: Path, columns: Sequence[TableColumn], about: Mapping[str, Any]) -> None:
        from xlsxwriter import Workbook

        self._path, self._columns, self._rows = path, columns, 0
        self._part = _Part(path)
        plain = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        self._book = Workbook(self._part.file, plain)
        self._bold = self._book.add_format({"bold": True})
        self._points = self._book.add_worksheet("points")
        self._points.freeze_panes(1, 0)
        self._points.write_row(0, 0, [column.name for column in columns], self._bold)
        says = [(column.name, column.unit, column.says) for column in columns]
        for name, rows in (
            ("columns", [("column", "unit", "what it is"), *says]),
            ("about", [("name", "value"), *((name, _json({name: value}).decode()) for name, value in about.items())]),
        ):
            sheet = self._book.add_worksheet(name)
            for row, texts in enumerate(rows):
                sheet.write_row(row, 0, texts, None if row else self._bold)

    def write(self, block: Mapping[str, Values]) -> None:
        """As :meth:`TableWriter.write`."""
        check_block(self._columns, block)
        cells = [cells_of(self._path, column, block[column.name], lambda value: value) for column in self._columns]
        for values in zip(*cells, strict=True):
            self._rows += 1
            if self._rows > MOST_EXCEL_ROWS:
                raise SpecError(f"{self._path}: a sheet has at most {MOST_EXCEL_ROWS:,} points; .csv has room for more")
            self._points.write_row(self._rows, 0, values)

    def write_rest(self) -> None:
        """Nothing waits."""

    def keep(self) -> None:
        """As :meth:`TableWriter.keep`."""
        self._book.close()
        self._part.keep()

    def close(self) -> None:
        """As :meth:`TableWriter.close`."""
        if not self._book.fileclosed:  # its sheets wait in files of their own, which closing it takes away
            self._book.filename = BytesIO()
            self._book.close()
        self._part.close()


def cells_of(path: Path, column: TableColumn, values: Values, written: Callable[[Any], Any]) -> list[Any]:
    """*values* of *column* as they are *written*, each of its kind; raises :class:`SpecError` for one that is not."""
    cells, plain = [], values.tolist() if isinstance(values, np.ndarray) else values
    try:
        for value in plain:
            cells.append(written(_in_kind(value.item() if isinstance(value, np.generic) else value, column.kind)))
    except (TypeError, ValueError, OverflowError) as error:
        raise SpecError(f"{path}: column {column.name!r}: {error}; it takes {_TAKES[column.kind]}") from error
    return cells


def _in_kind(value: Any, kind: Kind) -> Any:
    """*value* as a column of *kind* has it, None where it is missing; raises TypeError or ValueError."""
    if value is None or value != value:  # noqa: PLR0124  (NaN is not)
        return None
    wanted: Any = {"text": str, "flag": bool}.get(kind, int | float)
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind != "flag"):
        raise TypeError(f"got {_ARROW_NAMES.get(type(value), type(value).__name__)}")
    if isinstance(value, str):
        value.encode()  # half a letter is none
    if kind in ("text", "flag"):
        return value
    if kind == "real":
        return float(value)
    if value != int(value) or not -(2**63) <= value < 2**63:
        raise ValueError(f"got {value}")
    return int(value)


def _csv_text(value: Any) -> str:
    """The text of a cell: of a number the shortest that reads back as the same number."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(value)
    return repr(value).lower()  # true and false, as other programs have them


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


class _Part:
    """A file in the folder of *path*, without a name until it is whole: a writer that is killed leaves nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._name = self._path.with_name(f".{self._path.name[:40]}.{token_hex(4)}.part")
        try:
            descriptor = os.open(self._path.parent, getattr(os, "O_TMPFILE", 0) | os.O_WRONLY, 0o666)
            os.stat(f"{_OPEN_FILES}/{descriptor}")
            self._named = False
        except OSError:  # a system, or a file system, where a file has to have a name
            descriptor = os.open(self._name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            self._named = True
        self.file = os.fdopen(descriptor, "wb")

    def keep(self) -> None:
        """Put the file where the old one is, in one step."""
        self.file.flush()
        if not self._named:
            folder = os.open(_OPEN_FILES, os.O_RDONLY)
            try:  # a link from a folder's handle follows the link that it finds there
                os.link(str(self.file.fileno()), self._name, src_dir_fd=folder)
            finally:
                os.close(folder)
            self._named = True
        os.replace(self._name, self._path)
        self._named = False

    def close(self) -> None:
        with suppress(OSError):  # what could not be written has been said already
            self.file.close()
        if self._named:
            self._name.unlink(missing_ok=True)


NEEDS: Final = {".parquet": "pyarrow", ".xlsx": "xlsxwriter"}
WRITERS: Final[Mapping[str, type[ParquetTable | CsvTable | ExcelTable]]] = {
    ".parquet": ParquetTable, ".csv": CsvTable, ".xlsx": ExcelTable,
}  # fmt: skip
READ_AGAIN: Final = (".parquet", ".csv")


def _form(path: Path, forms: Collection[str] = WRITERS) -> str:
    form = path.suffix.lower()
    if form not in forms:
        raise SpecError(f"{path}: got the ending {path.suffix!r}; allowed are {', '.join(forms)}")
    return form


def _files_of(path: Path) -> list[Path]:
    return [path, path.with_name(path.name + ".json")] if _form(path) == ".csv" else [path]


def _types() -> dict[Kind, pa.DataType]:
    import pyarrow as pa

    return {"real": pa.float64(), "whole": pa.int64(), "text": pa.string(), "flag": pa.bool_()}


def _of_buffers(values: Values, kind: Kind) -> pa.Array | None:
    """The usual columns made of their bytes: pyarrow's own way of asking what *values* are imports all of pandas."""
    import pyarrow as pa

    buffers: list[Any]
    if isinstance(values, np.ndarray):
        if values.dtype not in {"real": (np.float64, np.int64), "whole": (np.int64,)}.get(kind, ()):
            return None
        known, buffers = ~np.isnan(values), [values.astype(np.float64 if kind == "real" else np.int64)]
    else:
        plain = {"real": float, "whole": int, "text": str}.get(kind)
        if plain is None or not len(values):
            return None
        if any(value is not None and type(value) is not plain for value in values):
            return None
        known = np.array([value is not None and value == value for value in values])  # noqa: PLR0124  (NaN is not)
        if kind == "text":
            each = [(value or "").encode() for value in values]
            ends = np.cumsum([0, *map(len, each)])
            if ends[-1] >= 2**31:
                return None
            buffers = [ends.astype(np.int32), b"".join(each)]
        else:
            filled = [0 if value is None else value for value in values]
            buffers = [np.array(filled, dtype=float if kind == "real" else np.int64)]
    bits = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(_types()[kind], len(values), [bits, *map(pa.py_buffer, buffers)])


def _fits(column_type: pa.DataType, kind: Kind) -> bool:
    """Whether values of the type *column_type* are of *kind*, so that no text becomes a number unasked."""
    from pyarrow import types

    if kind in ("real", "whole"):
        return bool(types.is_floating(column_type) or types.is_integer(column_type))
    return bool(column_type == _types()[kind])


def _schema(columns: Sequence[TableColumn]) -> pa.Schema:
    import pyarrow as pa

    kinds = _types()
    return pa.schema(
        [
            pa.field(column.name, kinds[column.kind], metadata={"unit": column.unit, "description": column.says})
            for column in columns
        ]
    )


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.concat_batches(batches)


def _plain(column: pa.Array | pa.ChunkedArray, kind: Kind) -> Values:
    """The values of *column* without pyarrow."""
    if kind == "real" or (kind != "text" and not column.null_count):
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values
    listed: list[Any] = column.to_pylist()
    return listed


def _heading(name: str) -> str:
    return _quoted(name) if _TO_BE_QUOTED.search(name) else name


def _json(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """JSON that reads well; half a letter, which a command line may hold, stays as its escape."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent)
    return text.encode("utf-8", "backslashreplace")


def _read_parquet(path: Path) -> tuple[pa.Table, list[TableColumn], dict[str, Any]]:
    from pyarrow.parquet import ParquetFile

    kinds = {column_type: kind for kind, column_type in _types().items()}
    with path.open("rb") as file, ParquetFile(file) as parquet:
        schema = parquet.schema_arrow
        columns = [
            TableColumn(
                field.name, kinds[field.type], field.metadata[b"unit"].decode(), field.metadata[b"description"].decode()
            )
            for field in schema
        ]
        return parquet.read(), columns, _about(json.loads(schema.metadata[ABOUT]))


def _read_csv(path: Path) -> tuple[pa.Table, list[TableColumn], dict[str, Any]]:
    from pyarrow import csv

    file, beside = _files_of(path)
    size_bytes = file.stat().st_size
    with beside.open("rb") as described:
        description = json.load(described)
    columns = [TableColumn(**column) for column in description["columns"]]
    kinds = _types()
    if description["bytes"] != size_bytes:
        raise SpecError(f"{path}: {beside.name} beside it describes another file")
    table = csv.read_csv(
        file,
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types={column.name: kinds[column.kind] for column in columns},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["true"],
            false_values=["false"],
        ),
    )
    if table.column_names != [column.name for column in columns]:
        raise SpecError(f"{path}: {beside.name} beside it describes another file")
    return table, columns, _about(description["about"])


def _about(description: Any) -> dict[str, Any]:
    if not isinstance(description, dict):
        raise TypeError("what a table is about has names")
    return description


@contextmanager
def _in_one_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror or error}") from error
