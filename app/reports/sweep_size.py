"""How much memory an uploaded table of a sweep would take, looked up before it is read: few bytes can hold much."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from blocktime.model.errors import SpecError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

MOST_ROWS: Final = 250_000
MOST_COLUMNS: Final = 200
LARGEST_TEXTS_BYTES: Final = 100_000_000
"""Of all texts of a table together, each row's counted."""
LARGEST_UNPACKED_BYTES: Final = 500_000_000
LARGEST_DESCRIPTION_BYTES: Final = 10_000_000
BEYOND: Final = "; `blocktime sweep --html` makes a report of a larger one"


def check_size(path: Path, name: str) -> None:
    """Complain in one sentence about a table at *path*, called *name*, that is more than this page reads."""
    if path.suffix == ".csv":
        _check_csv(path, name)
    else:
        _check_parquet(path, name)


def _check_csv(path: Path, name: str) -> None:
    """Lines and columns are counted in blocks; a text of a sweep has no line ends, so there are as many rows."""
    described = path.with_name(f"{path.name}.json").stat().st_size
    _most(name, "bytes that describe it", described, LARGEST_DESCRIPTION_BYTES)
    with path.open("rb") as file:
        heading = file.readline(LARGEST_DESCRIPTION_BYTES)
        _most(name, "columns", heading.count(b",") + 1, MOST_COLUMNS)
        rows = 0
        while block := file.read(1 << 20):
            rows += block.count(b"\n")
            _most(name, "rows", rows, MOST_ROWS)


def _check_parquet(path: Path, name: str) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with path.open("rb") as file, ParquetFile(file) as parquet:
            about = parquet.metadata
            _most(name, "rows", about.num_rows, MOST_ROWS)
            _most(name, "columns", about.num_columns, MOST_COLUMNS)
            groups = range(about.num_row_groups)
            unpacked = sum(about.row_group(place).total_byte_size for place in groups)
            _most(name, "bytes when unpacked", unpacked, LARGEST_UNPACKED_BYTES)
            metadata = parquet.schema_arrow.metadata or {}
            _most(name, "bytes that describe it", sum(map(len, metadata.values())), LARGEST_DESCRIPTION_BYTES)
            texts = [field.name for field in parquet.schema_arrow if field.type in (pa.string(), pa.large_string())]
        with path.open("rb") as file, ParquetFile(file, read_dictionary=texts) as parquet:
            _most(name, "bytes of text", _bytes_of_text(parquet, texts), LARGEST_TEXTS_BYTES)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise SpecError(f"{name}: is damaged, or not a table of a sweep") from error


def _bytes_of_text(parquet: ParquetFile, columns: list[str]) -> int:
    """What the texts take once each row has its own; read as a list of different ones, which is short."""
    bytes_so_far = 0
    for group in range(parquet.metadata.num_row_groups if columns else 0):
        for column in parquet.read_row_group(group, columns).columns:
            bytes_so_far += sum(_bytes_of_chunk(chunk) for chunk in column.chunks)
    return bytes_so_far


def _bytes_of_chunk(chunk: pa.DictionaryArray) -> int:
    from pyarrow import compute

    lengths = compute.binary_length(chunk.dictionary).cast("int64")
    return compute.sum(lengths.take(chunk.indices)).as_py() or 0


def _most(name: str, what: str, got: int, most: int) -> None:
    if got > most:
        raise SpecError(f"{name}: got {got:,} {what}; this page reads up to {most:,}{BEYOND}")
