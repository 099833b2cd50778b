"""The command `calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from blocktime.app.base.output import print_json, print_lines, progress_to_terminal, width_of_terminal
from blocktime.app.command.calibrate_system import calibrate_system, is_system_file
from blocktime.app.command.options import AS_JSON, quietly
from blocktime.app.text.calibration_text import calibration_lines, left_out_lines
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios.load import STANDARD_INPUT, split_name
from blocktime.validation import case_names
from blocktime.validation.calibrate import calibrate as calibrated
from blocktime.validation.fit import Fit
from blocktime.validation.leave_out import every_left_out
from blocktime.validation.out_of_sample import LeftOut
from blocktime.validation.write_catalog import write


@click.command()
@click.argument("cases", metavar="[CASE...]", nargs=-1)
@click.option(
    "--leave-out",
    is_flag=True,
    help="Also predict each fitted number from the other rows and from the other block sizes.",
)
@click.option("--write", "to_catalog", is_flag=True, help="Write the estimates to the catalog. Implies --leave-out.")
@AS_JSON
@quietly("Print no tables.")
def calibrate(cases: tuple[str, ...], leave_out: bool, to_catalog: bool, as_json: bool, quiet: bool) -> None:
    """Fit the constants of the measured cases: estimates, confidence intervals and correlations.

    A fit that does not converge, or does not determine a constant, writes nothing.

    For your own system, give the file that `measure --out` wrote: calibrate fits it to its figures, with the
    catalog's intervals as priors, and writes intervals and correlations into it.
    """
    for case in cases:
        if (is_system_file(split_name(case)[0]) and split_name(case)[1]) or case in STANDARD_INPUT:
            raise SpecError(
                f"calibrate {cut(case)}: it writes into the file, which it takes as it is; change the fields there"
            )
    if any(is_system_file(case) for case in cases):
        _refuse_beside_system(cases, leave_out or to_catalog)
        calibrate_system(cases[0], as_json=as_json, quiet=quiet)
        return

    if to_catalog:
        _refuse_system_files(cases)
    with progress_to_terminal(quiet, "fitting", "cases") as progress:
        calibration = calibrated(cases or None, progress)
    if to_catalog and calibration.unidentified:
        raise SpecError(f"{'; '.join(calibration.unidentified)}; nothing is written")
    named = cases or tuple(fit.case for fit in calibration.fits)
    left_out = _left_out(named, quiet) if leave_out or to_catalog else {}
    written = write(calibration, left_out, whole=not cases) if to_catalog else []
    if as_json:
        print_json(_as_data(calibration.fits, left_out, written))
    else:
        tables = [] if quiet else _tables(calibration.fits, left_out)
        lines = [*tables, *(f"wrote {path}" for path in written)]
        if lines or not calibration.fits:
            print_lines(lines or ["Nothing to fit."])


def _as_data(fits: Sequence[Fit], left_out: dict[str, LeftOut], written: Sequence[Path]) -> dict[str, Any]:
    return {
        "fits": [asdict(fit) for fit in fits],
        "left_out": {name: asdict(predicted) for name, predicted in left_out.items()},
        "written": [str(path) for path in written],
    }


def _tables(fits: Sequence[Fit], left_out: dict[str, LeftOut]) -> list[str]:

    width = width_of_terminal()
    lines = [line for fit in fits for line in calibration_lines(fit, width)]
    return [*lines, *(left_out_lines(left_out, width) if left_out else ())]


def _refuse_beside_system(cases: Sequence[str], of_cases: bool) -> None:
    """Raise SpecError where a system's file comes with others, or with options *of_cases*."""
    if len(cases) > 1 or of_cases:
        raise SpecError(
            f"calibrate: got {' '.join(cases)}; a system's file goes alone, without --leave-out and --write"
        )


def _refuse_system_files(cases: Sequence[str]) -> None:
    """Raise SpecError unless every case comes with the program: the catalog stands on those alone."""
    for name in cases:
        if name.replace("-", "_") not in case_names():
            raise SpecError(
                f"calibrate --write: got {name}; allowed are the cases that come with the program: "
                f"{', '.join(case_names())}"
            )


def _left_out(cases: Sequence[str], quiet: bool) -> dict[str, LeftOut]:

    predicted_of: dict[str, LeftOut] = {}
    with progress_to_terminal(quiet, "leaving out", "cases") as progress:
        for done, (_, of_case) in enumerate(every_left_out(cases), 1):
            predicted_of |= of_case
            if progress is not None:
                progress(done, len(cases))
    return predicted_of
