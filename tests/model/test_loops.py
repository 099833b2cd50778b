"""The compiled loops: of the very text that is there, or none; what becomes of it without a compiler."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blocktime.model import loops
from blocktime.model.loops import buffers, build, calendar, rotating

PLAIN = {
    name: loop
    for part in (buffers, calendar, rotating)
    for name, loop in vars(part).items()
    if getattr(loop, "__module__", "") == part.__name__
}
ROOT = Path(__file__).resolve().parents[2]
USES = "from blocktime.model import loops; from blocktime.model.loops import buffers, fastest;"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The text of the loops, and the compiled module, in a place of our own."""
    for part in (*build.PARTS, "units.py", "loops/build.py", "loops/__init__.py"):
        (tmp_path / "blocktime" / "model" / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build.MODEL / part, tmp_path / "blocktime" / "model" / part)
    shutil.copytree(build.MODEL / "laws", tmp_path / "blocktime" / "model" / "laws", dirs_exist_ok=True)
    for module in ("errors.py", "unmodelled.py", "causes.py"):
        shutil.copy(build.MODEL / module, tmp_path / "blocktime" / "model")
    (tmp_path / "blocktime" / "__init__.py").touch()
    (tmp_path / "blocktime" / "model" / "__init__.py").touch()
    if build.file().is_file():
        shutil.copytree(build.FOLDER, tmp_path / "blocktime" / "model" / "loops" / "compiled")
    return tmp_path


def said(place: Path, code: str) -> str:
    command = [sys.executable, "-c", f"{USES} print({code})"]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout.strip()


def test_every_loop_has_a_compiled_twin() -> None:
    if loops.compiled() is None:
        pytest.skip("no C compiler here")
    for name, loop in PLAIN.items():
        if not name.startswith("_"):
            assert loops.fastest(loop) is not loop, name


def test_one_text_for_the_compiler() -> None:
    text = build.text()
    assert text.count("cdef class ") == 91
    assert "cpdef long long filled(self, const long long[::1] blocks, const double[::1] touched_s" in text
    assert "cdef inline double seek_s(" in text  # a law, as it stands
    assert "object seek" not in text


@pytest.mark.parametrize("part", ["loops/places.py", "laws/rotating_disk.py", "units.py", "loops/build.py"])
def test_an_old_compiled_module_is_never_used(elsewhere: Path, part: str) -> None:
    if loops.compiled() is None:
        pytest.skip("no C compiler here")
    assert said(elsewhere, "fastest(buffers.TouchCounts) is buffers.TouchCounts") == "False"
    with (elsewhere / "blocktime" / "model" / part).open("a") as file:
        file.write("\n# another text\n")
    assert said(elsewhere, "fastest(buffers.TouchCounts) is buffers.TouchCounts") == "True"
    assert said(elsewhere, "fastest(buffers.TouchCounts) and loops.why_slow()") == build.PLAIN
    old = next((elsewhere / "blocktime" / "model" / "loops" / "compiled").iterdir())
    wanted = said(elsewhere, "loops.build.file()")
    old.rename(wanted)  # under the name of a new one it has another way in
    assert said(elsewhere, "fastest(buffers.TouchCounts) is buffers.TouchCounts") == "True"


def test_a_broken_module_is_none(elsewhere: Path) -> None:
    compiled = elsewhere / "blocktime" / "model" / "loops" / "compiled"
    compiled.mkdir(exist_ok=True)
    (compiled / build.file().name).write_bytes(b"no module")
    assert said(elsewhere, "fastest(buffers.TouchCounts) is buffers.TouchCounts") == "True"


def test_without_a_compiler_one_sentence_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "compilers", list)
    assert build.build(tmp_path) == "there is no C compiler"
    monkeypatch.setattr(build, "compilers", lambda: [["false"]])
    translate = "import pathlib, sys; pathlib.Path(sys.argv[-1]).with_suffix('.c').touch()"
    monkeypatch.setattr(build, "TRANSLATE", translate)
    assert build.build(tmp_path) == "false failed: ?"
    monkeypatch.setattr(build, "compilers", lambda: [["no-such-compiler"]])
    assert "No such file" in build.build(tmp_path)
    assert not list(tmp_path.iterdir())


def test_where_nothing_may_be_written_nothing_holds(tmp_path: Path) -> None:
    new, folder = tmp_path / "new", tmp_path / "file" / "compiled"
    new.write_bytes(b"")
    folder.parent.write_bytes(b"")
    assert "Not a directory" in build._keep(new, folder / "made")


def test_a_newer_module_takes_the_place_of_older_ones(tmp_path: Path) -> None:
    new, made = tmp_path / "new", build.file(tmp_path / "compiled")
    made.parent.mkdir()
    old, other = (made.with_name(made.name.replace(build.name(), "loops_0")), made.with_name("loops_0.other.so"))
    for path in (new, old, other):
        path.write_bytes(path.name.encode())
    assert build._keep(new, made) == ""
    assert sorted(made.parent.iterdir()) == sorted([made, other])
    assert made.read_bytes() == b"new"
