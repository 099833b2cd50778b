"""Real reports that lie beside the checkout on some machines: figures against a count made another way."""

import gzip
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from blocktime.app.text.iostat_text import device_head
from blocktime.model.laws.iostat_columns import columns_of
from blocktime.validation.instruments import NotReadable, OpenedFile, Reading, read

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.name != "README.md")
pytestmark = pytest.mark.skipif(not FILES, reason="the samples are not on this machine")
REFUSED = {"wghfreq-sadf.json": "neither a disk nor a processor"}


def of_kind(folder: str, ending: str = "") -> list[object]:
    found = [path for path in FILES if folder in {path.parent.name, path.parent.parent.name}]
    return [
        pytest.param(path, id=path.name)
        for path in found
        if path.name.removesuffix(".gz").endswith(ending) and path.name not in REFUSED
    ]


def text_of(path: Path) -> str:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n")


def readings_of(path: Path) -> list[Reading]:
    return read(OpenedFile(path))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused(name: str) -> None:
    [path] = [path for path in FILES if path.name == name]
    with pytest.raises(NotReadable, match=REFUSED[name]):
        readings_of(path)


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in FILES if p.name not in REFUSED])
def test_every_other_sample_is_read(path: Path) -> None:
    assert all(reading.count() for reading in readings_of(path))


@pytest.mark.parametrize("path", [*of_kind("iostat", ".out"), *of_kind("iostat", ".txt")])
def test_iostat_as_text(path: Path) -> None:
    tokens, rates, under = 0, Counter[str](), ""
    for line in text_of(path).split("\n"):
        words = line.split()
        if not words or words[0] in {"avg-cpu:", "Device:", "Device"}:
            under, header = words[0] if words else "", words
        elif under == "avg-cpu:":
            tokens += len(words)
        elif under.startswith("Device"):
            tokens += len(words) - 1
            rates[words[0]] += float(words[header.index("r/s")])
    [reading] = readings_of(path)
    assert reading.count() == tokens
    for series in reading.series:
        if series.of != "cpu":
            assert sum(series.column("r/s")) == pytest.approx(rates[series.of])


def test_iostat_and_sadf_as_json() -> None:
    for path in [path for path in FILES if path.name in {"sysstat-x-p-ALL.json", "sadf.json.gz"}]:
        numbers = Counter[str]()
        for host in json.loads(text_of(path))["sysstat"]["hosts"]:
            for sample in host["statistics"]:
                for row in sample.get("disk", []):
                    device = row.get("disk_device") or row.get("disk-device")
                    numbers[device] += sum(isinstance(value, (int, float)) for value in row.values())
        [reading] = readings_of(path)
        found = Counter[str]()
        for series in reading.series:
            if series.of != "cpu":
                found[series.of] += len(series.values)
        assert found == numbers


@pytest.mark.parametrize("path", of_kind("fio", ".json"))
def test_fio(path: Path) -> None:
    text = text_of(path)
    [job] = json.loads(text[text.index("{") :])["jobs"]
    [reading] = readings_of(path)
    found = {(one.of, one.name): one.value for one in reading.figures}
    assert found["job 1 read", "iops"] == job["read"]["iops"]
    assert found["job 1 read", "lat_ns mean"] == pytest.approx(job["read"]["lat_ns"]["mean"] * 1e-9)
    for share, value in job["read"]["clat_ns"]["percentile"].items():
        name = "job 1 read", f"clat_ns p{float(share):g}"
        if float(share):
            assert found[name] == pytest.approx(value * 1e-9)
        else:  # fio fills its places for percentiles up with "0.00" : 0
            assert name not in found


@pytest.mark.parametrize("path", of_kind("tkprof"))
def test_tkprof(path: Path) -> None:
    calls = re.findall(
        r"^(Parse|Execute|Fetch|total) +(\d+) +([\d.]+) +([\d.]+) +(\d+) +(\d+) +(\d+) +(\d+) *$",
        text_of(path),
        re.MULTILINE,
    )
    names = ("count", "cpu", "elapsed", "disk", "query", "current", "rows")
    wanted = Counter[str]()
    for call, *values in calls:
        for name, value in zip(names, values, strict=True):
            wanted[f"{call} {name}"] += float(value)
    found = Counter[str]()
    for one in (one for reading in readings_of(path) for one in reading.figures if one.name in wanted):
        found[one.name] += one.value
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("path", of_kind("trace10046"))
def test_sql_trace(path: Path) -> None:
    text = text_of(path)
    waits, total = Counter[str](), Counter[str]()
    for event, ela in re.findall(r"WAIT #\d+: nam='([^']*)' ela= *(\d+)[^\n]*tim=\d+", text):
        waits[event] += 1
        total[event] += int(ela)
    [reading] = readings_of(path)
    found_waits, found_total = Counter[str](), Counter[str]()
    for one in reading.figures:
        event = one.of.rpartition(", ")[2]
        if one.name == "waits":
            found_waits[event] += int(one.value)
        elif one.name == "total":
            found_total[event] += round(one.value * 1e6)
    assert found_waits == waits
    assert found_total == total
    for call in ("EXEC", "FETCH", "PARSE"):
        count = len(re.findall(rf"{call} #\d+:c=[^\n]*?tim=\d+", text))
        assert sum(one.value for one in reading.figures if one.name == f"{call} count") == count


class Tables(HTMLParser):
    """Every table as rows of cells, by the library's own parser."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in {"td", "th"} and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[-1][-1][-1] += data


@pytest.mark.parametrize("path", of_kind("awr_html"))
def test_awr_as_html(path: Path) -> None:
    parser = Tables()
    parser.feed(text_of(path))
    wanted = Counter[tuple[str, float]]()
    for table in parser.tables:
        if table and table[0][:2] == ["Event", "Waits"]:
            for row in table[1:]:
                if row[1].strip() and row[0].strip():
                    wanted[" ".join(row[0].split()), float(row[1].replace(",", ""))] += 1
    found = Counter[tuple[str, float]]()
    for one in (one for reading in readings_of(path) for one in reading.figures):
        if one.of.startswith("Wait Events") and one.name == "Waits":
            found[one.of.removeprefix("Wait Events: ").partition(": ")[2] or one.of.partition(": ")[2], one.value] += 1
    assert sum(wanted.values()) == sum(found.values())
    assert Counter(value for _, value in wanted.elements()) == Counter(value for _, value in found.elements())
    profile = next(table for table in parser.tables if table and "Per Second" in [cell.strip() for cell in table[0]])
    [reading] = readings_of(path)
    read_profile = {
        one.of: one for one in reading.figures if one.of.startswith("Load Profile") and one.name == "Per Second"
    }
    assert len(read_profile) == sum(bool(row[1].strip()) for row in profile[1:])


COUNTED = {
    "Latch Activity": ("Latch Name", "Get Requests", 1.0),
    "Instance Activity": ("Statistic", "per Trans", 1.0),
    "Time Model": ("Statistic Name", "Time (s)", 1.0),
    "Buffer Pool Advisory": ("P", "Size Factor", 1.0),
    "Wait Classes": ("Wait Class", "Total Wait Time (s)", 1.0),
    "Enqueue Activity": ("Enqueue Type (Request Reason)", "Requests", 1.0),
    "Segments": ("Owner", "%Total", 100.0),
}
"""Section -> first heading of its tables, a column of them, and how many printed ones its unit has."""


@pytest.mark.parametrize("path", of_kind("awr_html"))
def test_columns_of_awr_as_html(path: Path) -> None:
    parser = Tables()
    parser.feed(text_of(path))
    [reading] = readings_of(path)
    for section, (first, column, printed) in COUNTED.items():
        wanted = []
        for table in parser.tables:
            heads = [" ".join(cell.split()) for cell in table[0]] if table else []
            if heads[:1] == [first] and column in heads and len(table[1]) == len(heads):
                cells = [row[heads.index(column)].strip().replace(",", "") for row in table[1:]]
                wanted += [float(cell) for cell in cells if re.fullmatch(r"-?[0-9]*\.?[0-9]+", cell)]
        found = [one.value * printed for one in reading.figures if one.of.startswith(section) and one.name == column]
        in_seconds = section == "Instance Activity"
        assert len(found) == len(wanted), section
        assert in_seconds or sorted(found) == pytest.approx(sorted(wanted)), section


@pytest.mark.parametrize("path", [*of_kind("awr_text"), *of_kind("statspack")])
def test_awr_and_statspack_as_text(path: Path) -> None:
    lines = text_of(path).split("\n")
    wanted = Counter[float]()
    for place, line in enumerate(lines):
        if re.match(r"(Foreground|Background) Wait Events +DB/Inst", line):
            rule = next(number for number in range(place, place + 15) if re.match(r"-{20,} -", lines[number]))
            width = len(lines[rule].split()[0])
            for row in lines[rule + 1 :]:
                if not row.strip() or row.strip().startswith("-----"):
                    break
                wanted[float(row[width:].split()[0].replace(",", ""))] += 1
    [reading] = readings_of(path)
    kinds = ("Wait Events: foreground", "Wait Events: background")
    found = Counter(one.value for one in reading.figures if one.of.startswith(kinds) and one.name == "Waits")
    assert found == wanted


@pytest.mark.parametrize("path", [*of_kind("iostat", ".out"), *of_kind("iostat", ".txt")])
def test_the_columns_of_a_kernel_are_those_of_a_real_iostat(path: Path) -> None:
    lines = text_of(path).split("\n")
    kernel = lines[0].split()[1]
    if kernel.endswith("-TEST"):
        kernel = "5.15"  # sysstat's own test of 12.3.1 and later
    [header] = {tuple(line.replace("MB/s", "kB/s").split()) for line in lines if line.startswith("Device")}
    columns = columns_of(kernel)
    assert list(header) == [device_head(columns), *columns]
