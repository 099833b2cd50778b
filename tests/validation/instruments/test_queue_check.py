"""Little's law in the printed means of iostat and sar."""

from pathlib import Path

import pytest

from blocktime.validation.instruments import Keep, OpenedFile, Reading, read

HEADS = {
    "new": "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util",
    "old": "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
}
ROWS = {
    "new": "sda {reads} 800.00 10.00 {writes} 400.00 4.00 {queue} 50.00",
    "old": "sda 0.00 0.00 {reads} {writes} 800.00 400.00 16.00 {queue} 8.00 1.00 50.00",
}


def reading(folder: Path, form: str, queues: list[float], reads: str = "100.00", writes: str = "50.00") -> Reading:
    path = folder / "iostat.txt"
    rows = [ROWS[form].format(queue=f"{queue:.2f}", reads=reads, writes=writes) for queue in queues]
    blocks = [f"{HEADS[form]}\n{row}\n" for row in rows]
    path.write_text("Linux 5.4.17 (box) 03/02/26 _x86_64_ (4 CPU)\n\n" + "\n".join(blocks) + "\n", encoding="utf-8")
    (one,) = read(OpenedFile(path, path.name, Keep()))
    return one


@pytest.mark.parametrize("form", HEADS)
@pytest.mark.parametrize(("factor", "holds"), [(1.0, True), (1.02, True), (0.975, True), (1.06, False), (0.5, False)])
def test_a_queue_is_rate_times_await(tmp_path: Path, form: str, factor: float, holds: bool) -> None:
    queue = (100 * 0.010 + 50 * 0.004 if form == "new" else 150 * 0.008) * factor
    says = [text for text in reading(tmp_path, form, [queue] * 3).follows if "Little" in text]
    assert bool(says) is not holds
    if says:
        assert f"sda has a queue of {queue:.2f}, and its requests a second times their await are 1.20" in says[0]


def test_digits_that_are_not_printed_are_no_contradiction(tmp_path: Path) -> None:
    assert not [text for text in reading(tmp_path, "new", [0.0] * 3, "0.40", "0.20").follows if "Little" in text]
