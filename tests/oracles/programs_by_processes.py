"""Programs past the page cache as processes of SimPy: one for a program, and one for each call that arrives."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any
from unittest.mock import patch

from blocktime.model.loops import as_written
from blocktime.model.results import RunResult
from blocktime.model.sim import caller
from blocktime.model.sim.caller import ROOM, THINKING, Caller, ProgramCall, Step
from blocktime.model.sim.device import Pieces
from blocktime.model.spec import System
from blocktime.model.workloads.streams import processes


class ProcessCaller(Caller):
    """A program whose calls are steps in a row; what it notes, and in which order, is that of its class."""

    _ended: dict[ProgramCall, Callable[[], Any]]
    """What follows when a call is durable."""

    def run(self, begin_s: float = 0.0) -> Step:
        """All calls, from *begin_s* on."""
        if not self._unbuffered:
            yield from super().run(begin_s)
            return
        if begin_s:
            yield self.env.timeout(begin_s)
        self.begin_s, self._ended = self.env.now, {}
        if self.calls.runtime_s is not None:
            self._until_s = self.env.now + self.calls.runtime_s
        if self._arrives:
            yield from self._open()
        elif self._in_window:
            yield from self._asynchronous()
        else:
            yield from self._one_by_one()
        self._end()

    def _calls(self) -> Iterator[ProgramCall]:
        while (place := self._next_place()) >= 0:
            call = ProgramCall(self)
            call.begin(self._taken - 1, place)
            yield call

    def _one_by_one(self) -> Step:
        for call in self._calls():
            if self.env.now >= self._until_s:
                return
            yield from self._whole(call)
            self._note_response(call)
            if self._pauses_s is not None:
                think_s = max(0.0, min(self._next_pause_s(), self._until_s - self.env.now))
                yield self.env.timeout(think_s)
                self.add(THINKING, think_s)

    def _open(self) -> Step:
        done, arrived = self.env.event(), -1

        def one(call: ProgramCall) -> Step:
            self._add_under_way(1)
            yield from self._whole(call)
            self._note_response(call)
            self._under_way -= 1
            if self._answered == arrived:
                done.succeed()

        begun = 0
        for call in self._calls():
            gap_s = self._next_pause_s()
            if begun and self.env.now + gap_s >= self._until_s:
                break
            yield self.env.timeout(gap_s)
            self.env.process(one(call))
            begun += 1
        arrived = begun
        if self._answered < arrived:
            yield done

    def _asynchronous(self) -> Step:
        free, done = self.env.event(), deque[ProgramCall]()

        def ended(call: ProgramCall) -> None:
            done.append(call)
            if not free.triggered:
                free.succeed()

        def reap() -> Step:
            nonlocal free
            if not done:
                begin_s = self.env.now
                free = self.env.event()
                yield free
                self.add(self.at_device, self.env.now - begin_s)
            self._note_response(done.popleft())
            self._under_way -= 1

        calls = self._calls()
        while together := list(islice(calls, self._together)):
            while self._under_way > self._in_flight - len(together):
                yield from reap()
            if self.env.now >= self._until_s:
                break
            self._add_under_way(len(together))
            for call in together:
                call.begin_s = self.env.now
            yield from self._compute(len(together) * self._call_cpu_s)
            for call in together:
                yield from self._transfer(call, partial(ended, call))
            self.device.unplug()
        while self._under_way:
            yield from reap()

    def call_done(self, call: ProgramCall) -> None:
        """A call is durable."""
        self._ended.pop(call)()

    def _whole(self, call: ProgramCall) -> Step:
        call.begin_s = self.env.now
        yield from self._compute(self._call_cpu_s)
        done = self.env.event()
        yield from self._transfer(call, done.succeed)
        self.device.unplug()
        begin_s = self.env.now
        if not done.processed:
            yield done
        self.add(self.at_device, self.env.now - begin_s)

    def _transfer(self, call: ProgramCall, ended: Callable[[], Any]) -> Step:
        if self.synced != "none":
            self._ended[call] = ended
            ended = partial(self.env.process, self.make_durable(call))
        passed = self.show_request if call.number == self.sample else None
        piece = Pieces(self.pieces, ended, passed)
        end_byte = call.place + self.size_bytes
        for begin in range(call.place, end_byte, self.largest_bytes):
            size = min(self.largest_bytes, end_byte - begin)
            while (request := self.device.bio(self.write, begin, size, self.submitter)) is None:
                begin_s = self.env.now
                yield self.device.room(self.write)
                self.add(ROOM, self.env.now - begin_s)
            request.carry(piece)


def simulate_by_processes(system: System, work: Any, seed: int = 3) -> RunResult:
    """The answer to streams that SimPy plays."""
    with as_written(), patch.object(caller, "fastest", lambda _: ProcessCaller):
        return processes.simulate(system, work, seed=seed, name="")
