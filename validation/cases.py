"""The measured documents that come with the program, and those in files, read and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blocktime.model.errors import SpecError, UnknownName
from blocktime.scenarios.load import read_toml, toml_in
from blocktime.validation.case import Case
from blocktime.validation.integrity import check_case


def case_names() -> list[str]:
    """Names of the measured cases that come with the program."""
    folder = files(__package__ or "validation").joinpath("measured")
    return sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".toml"))


def parse_case(text: str, name: str) -> Case:
    """The case in *text*, checked; raises SpecError for its form and MeasurementError for a contradiction."""
    return _checked(toml_in(text.encode(), f"{name}.toml"), name)


def _checked(data: Mapping[str, Any], name: str) -> Case:
    file = f"{name}.toml"
    if "source" not in data and {"base", "workload", "measured"} & data.keys():
        raise SpecError(
            f"{file}: is a scenario, no case of printed numbers; validate FILE --against REPORT and calibrate FILE "
            "take one that measure --out made of a system"
        )
    try:
        case = Case.model_validate({**data, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        got = f", got {first['input']!r:.60}" if first["type"] != "missing" else ""
        raise SpecError(f"{file}: {place}: {first['msg']}{got}") from None
    check_case(case)
    return case


@cache
def load_case(name: str) -> Case:
    """The measured case *name*, or the one in the file of that path."""
    if name.endswith(".toml"):
        if not os.path.exists(name):
            raise SpecError(f"{name}: cannot be read: No such file or directory")
        return _checked(read_toml(Path(name)), Path(name).stem)
    known = case_names()
    plain = name.replace("-", "_")
    if plain not in known:
        raise UnknownName("measured case", name, known)
    text = files(__package__ or "validation").joinpath("measured", f"{plain}.toml").read_text("utf-8")
    return parse_case(text, plain)
