"""A button that is hit again before the page has changed begins nothing twice."""

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.session.sweep_job import SweepJob
from tests.patience import LIMIT_S

PRESSED_TWICE = """
from blocktime.app.sweep import sweep_page

sweep_page.page()
sweep_page._go()
sweep_page._go()
"""


def test_run_pressed_again_begins_neither_the_sweep_nor_its_trial_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[SweepJob] = []
    monkeypatch.setattr(SweepJob, "start", lambda self, _: begun.append(self))
    app = AppTest.from_string(PRESSED_TWICE, default_timeout=LIMIT_S)
    app.query_params["sweep"] = "block-size-mbrc"
    for _ in range(3):
        app.run()
        assert not app.exception
        for job in begun:
            if job.cancelling:
                job.state = "cancelled"
        assert [job.tries for job in begun] == [True, False]
