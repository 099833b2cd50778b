"""Leave some of a case's numbers out, fit its constants to the others of one kind, and predict what was left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from blocktime.scenarios import load
from blocktime.validation.case import Case
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.compare import Runs
from blocktime.validation.constants_by_name import substituted, value_of
from blocktime.validation.fit import Estimate, Fit, fit_to, standard_error_of
from blocktime.validation.numbers import MeasuredNumber, numbers_of
from blocktime.validation.out_of_sample import LeftOut

Chosen = Callable[[MeasuredNumber], bool]


@dataclass(slots=True)
class WithoutThem:
    """The constants without the numbers left out, and what they say of those."""

    fit: Fit
    predicted: list[tuple[MeasuredNumber, float | None]]
    """Every compared number that was left out, with its prediction in the printed unit; None for one that depends on
    a constant that the others do not determine."""


def leave_out(case: str, chosen: Chosen, of: Chosen) -> WithoutThem:
    """Fit all constants of *case* to the numbers for which *of* holds and *chosen* does not.

    Numbers that otherwise only test take part, so that each constant has what the others can tell of it. A constant
    that nothing else determines is named in ``fit.unidentified``, and nothing that depends on it is predicted.
    """
    compared = compared_of(load_case(case))
    constants = tuple(sorted({constant for number in compared for constant in number.fits}))
    numbers = [replace(number, fits=constants) for number in compared if of(number) and not chosen(number)]
    return _without(load_case(case), numbers, [number for number in compared if chosen(number)])


def every_left_out(names: Sequence[str] | None = None) -> Iterator[tuple[str, dict[str, LeftOut]]]:
    """Case by case what is predicted of its numbers without their row, and without their block size, by number.

    Without its row: each number that fits. Without its block size: each number of a case with several block sizes that
    its constants then predict otherwise.
    """
    for name in names or case_names():
        case = load_case(name)
        compared = compared_of(case)
        left_out = {number.id: LeftOut() for number in compared if number.fits}
        for row in _groups(compared, lambda number: (number.table, number.row)):
            for number, predicted, why in _predicted_without(case, compared, row):
                if number.fits:
                    left_out[number.id] = replace(left_out[number.id], without_its_row=predicted, why=why)
        sizes = _groups(compared, block_size_of)
        for size in sizes if len(sizes) > 1 else ():
            for number, predicted, _ in _predicted_without(case, compared, size):
                if predicted is not None:
                    so_far = left_out.get(number.id, LeftOut())
                    left_out[number.id] = replace(so_far, without_its_block_size=predicted)
        yield case.name, left_out


def compared_of(case: Case) -> list[MeasuredNumber]:
    """The numbers of *case* that the model says something of."""
    return [number for number in numbers_of(case) if number.mark != "descriptive"]


def block_size_of(number: MeasuredNumber) -> int:
    """Block size of the run that predicts *number*."""
    return load(*number.pick).system.tablespace.block_size_bytes


def text_of(predicted: Mapping[str, LeftOut]) -> str:
    """The file of what was left out."""
    rounded = {
        identity: {
            key: float(f"{value:.6g}") if isinstance(value, float) else value
            for key, value in asdict(left_out).items()
            if value not in (None, "")
        }
        for identity, left_out in sorted(predicted.items())
    }
    return json.dumps(rounded, indent=1, ensure_ascii=False) + "\n"


def _groups(
    compared: Sequence[MeasuredNumber], key: Callable[[MeasuredNumber], Hashable]
) -> list[list[MeasuredNumber]]:
    """The numbers by *key*, in the order of the case."""
    groups: dict[Hashable, list[MeasuredNumber]] = {}
    for number in compared:
        groups.setdefault(key(number), []).append(number)
    return list(groups.values())


def _predicted_without(
    case: Case, compared: Sequence[MeasuredNumber], gone: Sequence[MeasuredNumber]
) -> Iterator[tuple[MeasuredNumber, float | None, str]]:
    """What constants fitted without *gone* say of each of them, or why they say nothing."""
    if not any(number.fits for number in gone):
        return
    left = {number.id for number in gone}
    numbers = _instead(compared, gone, left)
    constants = {constant for number in gone for constant in number.fits}
    untold = constants - {constant for number in numbers for constant in number.fits}
    if not numbers:
        for number in gone:
            yield number, None, f"nothing else determines {' and '.join(sorted(untold & set(number.fits)))}"
        return
    without_them = _without(case, numbers, gone, untold)
    free = {estimate.name for estimate in without_them.fit.estimates if not estimate.determined} | untold
    for number, predicted in without_them.predicted:
        named = sorted(free & set(number.fits)) or sorted(free)
        yield (number, predicted, "" if predicted is not None else f"nothing else determines {' and '.join(named)}")


def _instead(
    compared: Sequence[MeasuredNumber], gone: Sequence[MeasuredNumber], left: set[str]
) -> list[MeasuredNumber]:
    """The numbers to fit instead of *gone*: those that share constants with them, and others of their columns.

    A number that the model is known to miss takes no part, nor one that it must meet exactly.
    """
    by_column: dict[tuple[str, str], set[str]] = {}
    for number in gone:
        by_column.setdefault((number.table, number.column), set()).update(number.fits)
    numbers = []
    for number in compared:
        if number.id in left or number.known_gap or not (number.printed and standard_error_of(number)):
            continue
        joins = by_column.get((number.table, number.column), set())
        if number.mark == "tests" and joins:
            numbers.append(replace(number, fits=tuple(sorted(joins))))
        elif number.fits:
            numbers.append(number)
    return _linked(numbers, {constant for number in gone for constant in number.fits})


def _linked(numbers: Sequence[MeasuredNumber], constants: set[str]) -> list[MeasuredNumber]:
    """The numbers that hang together with *constants* by the constants they share."""
    reached = set(constants)
    while True:
        more = {name for number in numbers if reached & set(number.fits) for name in number.fits}
        if more <= reached:
            return [number for number in numbers if reached & set(number.fits)]
        reached |= more


def _without(
    case: Case, numbers: Sequence[MeasuredNumber], gone: Sequence[MeasuredNumber], untold: Collection[str] = ()
) -> WithoutThem:
    fit = fit_to(case.name, numbers, {}, case.prior)
    predicted, other = (_predictions(gone, fit.estimates, untold, factor) for factor in (1.0, 2.0))
    return WithoutThem(
        fit,
        [
            (number, value if value == moved else None)
            for number, value, moved in zip(gone, predicted, other, strict=True)
        ],
    )


def _predictions(
    numbers: Sequence[MeasuredNumber], estimates: Sequence[Estimate], untold: Collection[str], factor: float
) -> list[float]:
    """Predictions with the estimates, and with those that nothing determines times *factor*."""
    values = {estimate.name: estimate.value * (1.0 if estimate.determined else factor) for estimate in estimates}
    values |= {name: value_of(name) * factor for name in untold}
    with substituted(values):
        runs = Runs()
        return [runs.predict(number) for number in numbers]
