"""Scenarios of any field by chance: a legal one has an answer or a sentence, a faulty one a sentence that says all."""

from pathlib import Path

import pytest

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import from_mapping
from tests.scenarios.any_scenario import Asked, check_refusal, check_sentence, illegal, legal, odd, sentence_for
from tests.whole import quick

TOGETHER = 25
FOUND = {
    "a write of no byte to a striped set": {
        "disk": {"raid_level": "0", "raid_disks": 5},
        "workload": {
            "kind": "transactions",
            "data_bytes": "64M",
            "transactions": 200,
            "beside": [{"kind": "full_scan"}],
        },
    }
}
"""Scenarios that once had neither an answer nor a sentence."""


@pytest.mark.parametrize("first", range(0, quick(TOGETHER, 5000), TOGETHER))
def test_a_legal_scenario_has_an_answer_or_one_sentence(first: int) -> None:
    for number in range(first, first + TOGETHER):
        asked = legal(number)
        for text in asked.refused:
            check_sentence(text)
        sentence_for(asked)


@pytest.mark.parametrize("first", range(0, quick(4 * TOGETHER, 2000), TOGETHER))
def test_a_faulty_scenario_is_told_its_field_its_value_and_what_is_allowed(first: int, tmp_path: Path) -> None:
    for number in range(first, first + TOGETHER):
        check_refusal(illegal(number), tmp_path)


@pytest.mark.parametrize("first", range(0, quick(2 * TOGETHER, 2000), TOGETHER))
def test_anything_gives_an_answer_or_one_sentence(first: int) -> None:
    for number in range(first, first + TOGETHER):
        try:
            scenario = from_mapping(odd(number), where="mine")
        except BlocktimeError as error:
            check_sentence(str(error))
        else:
            sentence_for(Asked({}, scenario, []))


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_has_an_answer(name: str) -> None:
    assert sentence_for(Asked(FOUND[name], from_mapping(FOUND[name]), [])) == ""
