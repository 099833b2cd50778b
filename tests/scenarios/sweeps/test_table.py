"""The table of a sweep: what other programs read from it, the same bytes for the same rows, and never half a file."""

import json
import math
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree
from zipfile import ZipFile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blocktime.model.errors import SpecError
from blocktime.scenarios.sweeps import table as module
from blocktime.scenarios.sweeps.table import GROUP_ROWS, ParquetTable, TableColumn, check_place, open_table, read_table
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]
FORMS = ("parquet", "csv")
SHEET: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
COLUMNS = [
    TableColumn("elapsed_s", "real", "s", "elapsed time"),
    TableColumn("workload.users", "whole", "", "how many, at once"),
    TableColumn("name, of it", "text", "", 'a "name"'),
    TableColumn("extrapolated", "flag", "", "outside a range – or not"),
]
ABOUT = {"scenario": "grüße", "seeds": [1, 2], "sources": {"a": None}, "share": 0.1}
TEXTS = ["a,b", 'say "x"', "two\nlines", "cr\r\nlf", "", None, "=1+1", "+a", "-b", "@c", "é–😀", " a ", "NULL", "1"]
NUMBERS = [0.1, 1.0, -0.0, 1e300, 5e-324, 1 / 3, math.nan, 123456789012345680.0, -1e-7, None]
ROWS: dict[str, Any] = {
    "elapsed_s": [NUMBERS[row % len(NUMBERS)] for row in range(28)],
    "workload.users": [[1, None, -(2**63), 2**63 - 1][row % 4] for row in range(28)],
    "name, of it": TEXTS * 2,
    "extrapolated": [[True, False, None][row % 3] for row in range(28)],
}


def expected(name: str) -> list[Any]:
    """What is in a column of ROWS, with None for what is missing."""
    return [None if value is None or is_nan(value) else value for value in ROWS[name]]


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def write(path: Path, rows: dict[str, Any], *, block: int = 10**9, force: bool = False) -> Path:
    with open_table(path, COLUMNS, ABOUT, force) as table:
        for start in range(0, len(rows["elapsed_s"]), block):
            table.write({name: values[start : start + block] for name, values in rows.items()})
    return path


def many(rows: int) -> dict[str, Any]:
    chance = np.random.default_rng(rows)
    reals = chance.random(rows)
    reals[rows // 2 : rows // 2 + rows // 5] = np.nan
    return {
        "elapsed_s": reals,
        "workload.users": chance.integers(0, 100, rows),
        "name, of it": [f"name {number}" if number % 7 else None for number in chance.integers(0, 40, rows)],
        "extrapolated": chance.random(rows) < 0.5,
    }


def same(found: list[Any], wanted: list[Any]) -> bool:
    """Equal with types and signs of zeros."""
    return [(type(value), repr(value)) for value in found] == [(type(value), repr(value)) for value in wanted]


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    head = (
        "import os, resource, sys; from pathlib import Path; import numpy as np;"
        "from tests.memory import peak_kib;"
        "from blocktime.scenarios.sweeps.table import *; from blocktime.model.errors import SpecError\n"
        "path = Path(sys.argv[1])\n"
    )
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", head + code, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


@pytest.fixture(params=FORMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"sweep.{request.param}"


@pytest.mark.parametrize("block", [28, 5, 1])
def test_we_read_what_we_wrote(path: Path, block: int) -> None:
    values, columns, about = read_table(write(path, ROWS, block=block))
    assert columns == COLUMNS
    assert about == ABOUT
    assert list(values) == [column.name for column in COLUMNS]
    reals = values.pop("elapsed_s")
    assert isinstance(reals, np.ndarray)
    assert same([None if is_nan(value) else value for value in reals.tolist()], expected("elapsed_s"))
    for name, found in values.items():
        assert same(found, expected(name)), name


def test_without_missing_values_they_are_arrays(path: Path) -> None:
    rows = many(1000)
    values, _, _ = read_table(write(path, rows))
    assert values["elapsed_s"].dtype == np.float64
    assert values["elapsed_s"].tobytes() == rows["elapsed_s"].tobytes()
    assert values["workload.users"].dtype == np.int64
    assert values["extrapolated"].dtype == np.bool_
    assert values["workload.users"].tolist() == rows["workload.users"].tolist()
    assert values["extrapolated"].tolist() == rows["extrapolated"].tolist()
    assert values["name, of it"] == rows["name, of it"]


def test_no_rows_are_a_table_too(path: Path) -> None:
    values, columns, about = read_table(write(path, {column.name: [] for column in COLUMNS}))
    assert (columns, about) == (COLUMNS, ABOUT)
    assert [len(found) for found in values.values()] == [0] * 4
    with open_table(path, COLUMNS, {}, force=True):
        pass
    assert read_table(path)[1:] == (COLUMNS, {})


def test_one_column_that_misses_a_value(path: Path) -> None:
    with open_table(path, COLUMNS[:1], {}) as table:
        table.write({"elapsed_s": [1.0, None, 3.0]})
    assert read_table(path)[0]["elapsed_s"].tolist() == pytest.approx([1.0, math.nan, 3.0], nan_ok=True)


def test_duckdb_reads_it(path: Path) -> None:
    write(path, ROWS)
    read = "read_parquet(?)" if path.suffix == ".parquet" else "read_csv(?)"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM {read}", [str(path)])
        assert [(name, str(kind)) for name, kind, *_ in found.description] == [
            ("elapsed_s", "DOUBLE"),
            ("workload.users", "BIGINT"),
            ("name, of it", "VARCHAR"),
            ("extrapolated", "BOOLEAN"),
        ]
        rows = found.fetchall()
    for place, column in enumerate(COLUMNS):
        got, wanted = [row[place] for row in rows], expected(column.name)
        if path.suffix == ".csv" and column.kind == "text":  # takes an empty text for a missing one, quoted or not
            wanted = [value or None for value in wanted]
        assert same(got, wanted)


def test_pandas_reads_it(path: Path) -> None:
    write(path, ROWS)
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path, dtype_backend="numpy_nullable")
    else:
        missing = {column.name: "" for column in COLUMNS}
        frame = pd.read_csv(path, dtype_backend="numpy_nullable", keep_default_na=False, na_values=missing)
    assert [str(kind) for kind in frame.dtypes] == ["Float64", "Int64", "string", "boolean"]
    for column in COLUMNS:
        got = [None if value is pd.NA else value for value in frame[column.name].tolist()]
        wanted = expected(column.name)
        if path.suffix == ".csv" and column.kind == "text":  # takes an empty text for a missing one, quoted or not
            wanted = [value or None for value in wanted]
        assert same(got, wanted)


def test_polars_reads_it(path: Path) -> None:
    write(path, ROWS)
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
    assert frame.dtypes == [pl.Float64, pl.Int64, pl.String, pl.Boolean]
    for column in COLUMNS:
        assert same(frame[column.name].to_list(), expected(column.name))


def test_the_sketch_of_a_csv(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", {name: values[:3] for name, values in ROWS.items()})
    assert path.read_bytes() == (
        b'elapsed_s,workload.users,"name, of it",extrapolated\r\n'
        b'0.1,1,"a,b",true\r\n'
        b'1.0,,"say ""x""",false\r\n'
        b'-0.0,-9223372036854775808,"two\nlines",\r\n'
    )
    beside = json.loads((tmp_path / "a.csv.json").read_text("utf-8"))
    assert beside["columns"][0] == {"name": "elapsed_s", "kind": "real", "unit": "s", "says": "elapsed time"}
    assert (beside["about"], beside["bytes"]) == (ABOUT, path.stat().st_size)


def test_parquet_says_units_and_what_it_is_about(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", ROWS)
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        text = file.metadata.row_group(0).column(2)
    assert schema.field("elapsed_s").metadata == {b"unit": b"s", b"description": b"elapsed time"}
    assert json.loads(schema.metadata[b"blocktime"]) == ABOUT
    assert text.has_dictionary_page
    assert text.compression == "ZSTD"
    with duckdb.connect() as connection:
        (found,) = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'blocktime'", [str(path)]
        ).fetchone()
    assert json.loads(found) == ABOUT


def test_the_same_rows_give_the_same_bytes_in_whatever_blocks(path: Path) -> None:
    rows = many(2 * GROUP_ROWS + 4321)
    whole = write(path, rows).read_bytes()
    for block in (1_000, GROUP_ROWS - 1, GROUP_ROWS, GROUP_ROWS + 1, 2 * GROUP_ROWS):
        assert write(path, rows, block=block, force=True).read_bytes() == whole, block
    values, _, _ = read_table(path)
    assert values["elapsed_s"].tobytes() == rows["elapsed_s"].tobytes()
    if path.suffix == ".parquet":
        metadata = pq.read_metadata(path)
        groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
        assert groups == [GROUP_ROWS, GROUP_ROWS, 4321]


def test_single_rows_give_the_same_bytes(path: Path) -> None:
    rows = many(700)
    whole = write(path, rows).read_bytes()
    assert write(path, rows, block=1, force=True).read_bytes() == whole


def test_lists_and_arrays_and_other_widths_give_the_same_bytes(path: Path) -> None:
    rows = many(500)
    whole = write(path, rows).read_bytes()
    lists = {name: list(values) for name, values in rows.items()}
    assert write(path, lists, force=True).read_bytes() == whole
    plain = {name: values if isinstance(values, list) else values.tolist() for name, values in rows.items()}
    assert write(path, plain, force=True).read_bytes() == whole
    other = dict(rows)
    other["workload.users"] = rows["workload.users"].astype(np.float64)
    other["name, of it"] = np.array(rows["name, of it"], dtype=object)
    assert write(path, other, force=True).read_bytes() == whole


def test_an_array_may_be_filled_again_after_writing(path: Path) -> None:
    reals = np.zeros(3)
    with open_table(path, COLUMNS[:1], {}) as table:
        for number in range(4):
            reals[:] = number
            table.write({"elapsed_s": reals})
    assert read_table(path)[0]["elapsed_s"].tolist() == [0.0] * 3 + [1.0] * 3 + [2.0] * 3 + [3.0] * 3


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("elapsed_s", ["1.5"], "column 'elapsed_s': got string; it takes numbers"),
        ("elapsed_s", [True], "column 'elapsed_s': got bool; it takes numbers"),
        ("workload.users", [1.5], "it takes whole numbers of up to 64 bits"),
        ("workload.users", [2**64], "it takes whole numbers of up to 64 bits"),
        ("workload.users", np.array([2**63], dtype=np.uint64), "it takes whole numbers of up to 64 bits"),
        ("name, of it", [1], "column 'name, of it': got int64; it takes text"),
        ("name, of it", ["\udc80"], "surrogates not allowed; it takes text"),
        ("extrapolated", [0], "got int64; it takes true or false"),
    ],
)
def test_a_value_of_another_kind_is_refused(path: Path, name: str, values: Any, told: str) -> None:
    row = {column.name: [None] for column in COLUMNS}
    with pytest.raises(SpecError) as caught, open_table(path, COLUMNS, ABOUT) as table:
        table.write(row | {name: values})
    assert str(caught.value).startswith(f"{path}: column {name!r}: ")
    assert told in str(caught.value)
    assert os.listdir(path.parent) == []


def test_a_block_that_is_none_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="of one length"), open_table(path, COLUMNS, ABOUT) as table:
        table.write({**ROWS, "elapsed_s": [1.0]})
    with pytest.raises(ValueError, match="a block has the columns elapsed_s, "), open_table(path, COLUMNS, {}) as table:
        table.write({"elapsed_s": [1.0]})
    with pytest.raises(ValueError, match="not JSON compliant"), open_table(path, COLUMNS, {"x": math.nan}):
        pass
    with pytest.raises(SpecError, match="two columns are named 'elapsed_s'"), open_table(path, COLUMNS[:1] * 2, {}):
        pass
    assert os.listdir(path.parent) == []


def test_half_a_letter_in_what_it_is_about(path: Path) -> None:
    with open_table(path, COLUMNS, {"scenario": "a\udc80b"}):
        pass
    assert read_table(path)[2] == {"scenario": "a\udc80b"}


@pytest.fixture(params=["without a name", "with a name"])
def systems(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems that know files without a name, and those that do not."""
    if request.param == "with a name":
        monkeypatch.setattr(module, "_OPEN_FILES", "/nowhere")


@pytest.mark.usefixtures("systems")
def test_an_old_table_stays_until_the_new_one_is_whole(path: Path) -> None:
    write(path, ROWS)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}

    def interrupted() -> None:
        with open_table(path, COLUMNS, {}, force=True) as table:
            for _ in range(3):
                table.write(many(GROUP_ROWS))
                assert path.read_bytes() == before[path.name]
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    write(path, many(10), force=True)
    assert len(read_table(path)[0]["elapsed_s"]) == 10
    assert {file.name for file in path.parent.iterdir()} == set(before)


@pytest.mark.usefixtures("systems")
def test_the_file_has_the_rights_of_any_new_file(path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(path, ROWS)
    finally:
        os.umask(before)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_stays_a_link(path: Path) -> None:
    target = path.with_name(f"target{path.suffix}")
    target.write_text("old")
    path.symlink_to(target)
    write(path, ROWS, force=True)
    assert path.is_symlink()
    assert len(read_table(path)[0]["elapsed_s"]) == 28


def test_a_file_that_appears_meanwhile_is_not_replaced(path: Path) -> None:
    def overtaken() -> None:
        with open_table(path, COLUMNS, {}) as table:
            table.write(ROWS)
            path.write_text("somebody's")

    with pytest.raises(SpecError, match="exists; --force replaces it"):
        overtaken()
    assert path.read_text() == "somebody's"
    assert os.listdir(path.parent) == [path.name]


def test_a_killed_writer_leaves_the_old_table_and_nothing_else(path: Path) -> None:
    write(path, ROWS)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    code = (
        "import signal\n"
        "with open_table(path, [TableColumn('x', 'real', '', '')], {}, force=True) as table:\n"
        "    table.write({'x': np.random.default_rng(1).random(200_000)})\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert python(code, path).returncode == -signal.SIGKILL
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize("blocks", [100, 1])
def test_a_full_disk_is_one_sentence(path: Path, blocks: int) -> None:
    """Many blocks meet the end while rows are written, a single one when the file is finished."""
    write(path, ROWS)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    code = (
        "from blocktime.scenarios.sweeps import table as module\n"
        "module.GROUP_ROWS = 100\n"
        "blocks = int(sys.argv[2])\n"
        "most = 500_000 if blocks > 1 else 1_000\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))\n"
        "columns = [TableColumn(f'x{n}', 'real', '', '') for n in range(40)]\n"
        "chance = np.random.default_rng(1)\n"
        "try:\n"
        "    with open_table(path, columns, {}, force=True) as table:\n"
        "        for _ in range(blocks): table.write({one.name: chance.random(99) for one in columns})\n"
        "        print('end')\n"
        "except SpecError as error: print(error)\n"
    )
    done = python(code, path, blocks)
    assert done.stderr == ""
    assert done.stdout == ("end\n" if blocks == 1 else "") + f"{path}: File too large\n"
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_what_went_wrong_first_is_told_on_a_full_disk(path: Path) -> None:
    code = (
        "from blocktime.scenarios.sweeps import table as module\n"
        "module.GROUP_ROWS = 10\n"
        "columns = [TableColumn(f'x{n}', 'real', '', '') for n in range(40)]\n"
        "try:\n"
        "    with open_table(path, columns, {}) as table:\n"
        "        for _ in range(20): table.write({one.name: np.arange(10.0) for one in columns})\n"
        "        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))\n"
        "        raise KeyError('first')\n"
        "except KeyError as error: print(error)\n"
    )
    done = python(code, path)
    assert (done.stdout, done.stderr) == ("'first'\n", "")
    assert os.listdir(path.parent) == []


def test_memory_is_bounded(path: Path) -> None:
    """What more rows would take if they were kept is far more than what the peak grows by."""
    code = (
        "from blocktime.scenarios.sweeps import table as module\n"
        "module.GROUP_ROWS = 1000\n"
        "columns = [TableColumn(f'x{n}', 'real', '', '') for n in range(60)]\n"
        "block = {column.name: np.random.default_rng(1).random(500) for column in columns}\n"
        "for blocks in (20, 100):\n"
        "    with open_table(path, columns, {}, force=True) as table:\n"
        "        for _ in range(blocks): table.write(block)\n"
        "    print(peak_kib())\n"
    )
    few_kib, more_kib = map(int, python(code, path).stdout.split())
    assert more_kib - few_kib < 80 * 500 * 60 * 8 / 1024 / 2


def test_single_rows_do_not_wait_singly(tmp_path: Path) -> None:
    """An array has a head that is many times as large as a number."""
    with open_table(tmp_path / "sweep.parquet", COLUMNS, {}) as table:
        assert isinstance(table, ParquetTable)
        for rows in range(1, 258):
            table.write({name: values[:1] for name, values in ROWS.items()})
            assert len(table._waiting) == rows.bit_count()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.txt", "a.txt: got the ending '.txt'; allowed are .parquet, .csv, .xlsx"),
        ("csv", "csv: got the ending ''; allowed are .parquet, .csv, .xlsx"),
        ("no/a.csv", "to write it into"),
        ("folder.csv", "folder.csv: is not a file that could be replaced"),
        ("pipe.parquet", "pipe.parquet: is not a file that could be replaced"),
        ("old.csv", "old.csv: exists; --force replaces it"),
        ("beside.csv", "beside.csv.json: exists; --force replaces it"),
        ("other.csv", "other.csv.json: is not a file that could be replaced"),
        (f"{'long' * 62}.csv", "File name too long"),  # with .json beside it
        (f"{'long' * 70}.parquet", "File name too long"),
        ("circle.csv", "circle.csv"),
        ("null\0.csv", "embedded null byte"),
    ],
)
def test_a_place_is_checked_before_the_work(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "other.csv.json").mkdir()
    (tmp_path / "old.csv").write_text("")
    (tmp_path / "beside.csv.json").write_text("{}")
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(SpecError) as caught:
        check_place(tmp_path / name, force=False)
    assert told in str(caught.value)
    with pytest.raises(SpecError), open_table(tmp_path / name, COLUMNS, {}):
        pass
    if "exists" in told:
        check_place(tmp_path / name, force=True)


def test_a_good_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_place(Path("a.csv"), force=False)
    check_place(tmp_path / "a.PARQUET", force=True)
    Path("link.csv").symlink_to(tmp_path / "not-there.csv")
    check_place(Path("link.csv"), force=False)
    assert write(Path("a.PARQUET"), ROWS).read_bytes()[:4] == b"PAR1"


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(SpecError, match=r"a\.csv: the folder .* may not be written$"):
        check_place(tmp_path / "a.csv", force=False)


def foreign_files(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    damaged = "is damaged, or not a table of a sweep"
    yield tmp_path / "missing.csv", "No such file or directory"
    yield tmp_path / "missing.parquet", "No such file or directory"
    yield tmp_path / "table.xlsx", "got the ending '.xlsx'; allowed are .parquet, .csv"
    (tmp_path / "folder.parquet").mkdir()
    yield tmp_path / "folder.parquet", "Is a directory"
    for name in ("noise.parquet", "empty.parquet"):
        (tmp_path / name).write_bytes(b"PAR1 and more" * 20 if name == "noise.parquet" else b"")
        yield tmp_path / name, damaged
    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "other.parquet")
    yield tmp_path / "other.parquet", damaged
    cut = write(tmp_path / "cut.parquet", ROWS)
    os.truncate(cut, cut.stat().st_size // 2)
    yield cut, damaged
    (tmp_path / "alone.csv").write_text("a,b\n1,2\n")
    yield tmp_path / "alone.csv", "No such file or directory"
    for number, text in enumerate(("", "[]", "{}", '{"columns": 1}', "[" * 10_000, '{"columns": [{}]}')):
        (tmp_path / f"{number}.csv").write_text("a,b\n1,2\n")
        (tmp_path / f"{number}.csv.json").write_text(text)
        yield tmp_path / f"{number}.csv", damaged
    longer = write(tmp_path / "longer.csv", ROWS)
    longer.write_bytes(longer.read_bytes() + b"1,2,3,true\r\n")
    yield longer, "longer.csv.json beside it describes another file"
    other = write(tmp_path / "changed.csv", ROWS)
    other.write_bytes(other.read_bytes().replace(b"elapsed_s", b"elapsed_S"))
    yield other, "changed.csv.json beside it describes another file"
    text = write(tmp_path / "text.csv", ROWS)
    text.write_bytes(text.read_bytes().replace(b"true", b"trux"))
    yield text, damaged


def test_a_file_that_is_not_ours_is_one_sentence(tmp_path: Path) -> None:
    for path, told in foreign_files(tmp_path):
        with pytest.raises(SpecError) as caught:
            read_table(path)
        assert str(caught.value) == f"{path}: {told}"


def test_noise_in_a_table_is_one_sentence_or_read(path: Path, tmp_path: Path) -> None:
    whole = write(path, many(300)).read_bytes()
    chance = np.random.default_rng(3)
    for _ in range(60):
        content = bytearray(whole)
        at = int(chance.integers(0, len(content)))
        content[at : at + 8] = chance.bytes(len(content[at : at + 8]))
        path.write_bytes(content)
        try:
            values, _, _ = read_table(path)
        except SpecError:
            continue
        assert len(values) == 4


def test_importing_it_does_not_import_pyarrow() -> None:
    done = python("print('pyarrow' in sys.modules)", "x")
    assert (done.stdout, done.stderr) == ("False\n", "")


def sheet(path: Path, number: int) -> list[dict[str, str]]:
    """The cells of a sheet of a workbook as their texts, by row and by the letter of the column."""
    with ZipFile(path) as book:
        root = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
    rows = root.iter(f"{SHEET}row")
    return [{cell.attrib["r"][0]: "".join(cell.itertext()) for cell in row.iter(f"{SHEET}c")} for row in rows]


def test_a_workbook_has_the_points_the_columns_and_what_it_is_about(tmp_path: Path) -> None:
    file = write(tmp_path / "sweep.xlsx", ROWS)
    heads, *rows = sheet(file, 1)
    assert list(heads.values()) == [column.name for column in COLUMNS]
    for letter, column in zip("ABCD", COLUMNS, strict=True):
        cells = [row.get(letter) for row in rows]
        for cell, value in zip(cells, expected(column.name), strict=True):
            if column.kind == "text" or value is None:
                assert (cell or "").replace("_x000D_", "\r") == (value or "")
            else:
                assert float(cell or "nan") == pytest.approx(float(value), rel=1e-15)
    assert [row["C"] for row in sheet(file, 2)[1:]] == [column.says for column in COLUMNS]
    assert [row["A"] for row in sheet(file, 3)[1:]] == list(ABOUT)


def test_a_workbook_that_is_left_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), open_table(tmp_path / "a.xlsx", COLUMNS, ABOUT):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_has_so_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXCEL_ROWS", 2)
    with pytest.raises(SpecError, match=r"a.xlsx: a sheet has at most 2 points; .csv has room for more"):
        write(tmp_path / "a.xlsx", ROWS)
