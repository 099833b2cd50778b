"""Locks of rows until their session commits, and who waits for whom."""

from blocktime.model.machine.segment.row_locks import NOBODY, RowLocks, Waiting


def test_rows_are_free_up_to_the_first_that_another_session_has_locked() -> None:
    locks = RowLocks(2)
    locks.lock(0, 5, 3)
    assert locks.free_rows(1, 0, 10) == (5, 0)
    assert locks.free_rows(1, 6, 10) == (0, 0)
    assert locks.free_rows(1, 8, 10) == (10, NOBODY)
    assert locks.free_rows(0, 0, 10) == (10, NOBODY)  # a session never waits for itself


def test_a_commit_releases_the_rows_of_its_session_alone() -> None:
    locks = RowLocks(3)
    locks.lock(0, 0, 4)
    locks.lock(1, 4, 4)
    locks.commit(0)
    assert locks.free_rows(2, 0, 8) == (4, 1)


def test_sessions_that_wait_for_each_other_are_a_deadlock() -> None:
    waiting = Waiting()
    assert waiting.begin(0, [1]) == []
    assert waiting.begin(1, [2]) == []
    assert sorted(waiting.begin(2, [0])) == [0, 1, 2]


def test_one_of_several_holders_at_work_is_enough() -> None:
    waiting = Waiting()
    assert waiting.begin(0, [1, 2]) == []
    assert waiting.begin(1, [0, 2]) == []  # session 2 goes on
    assert sorted(waiting.begin(2, [0, 1])) == [0, 1, 2]
    waiting.end(2)
    assert waiting.waited_for(2)
    assert waiting.begin(3, [0]) == []


def test_a_transaction_that_never_ends_is_a_deadlock_by_itself() -> None:
    waiting = Waiting()
    waiting.never_ends(7)
    assert waiting.begin(0, [7]) == [0, 7]
