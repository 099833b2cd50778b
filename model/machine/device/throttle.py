"""Write-back throttling of one device: requests under way, and the step that the latencies of reads decide."""

from __future__ import annotations

from math import inf

from blocktime.model.laws import write_back_throttle as law


class WriteBackThrottle:
    """Lets write-back in; windows are looked at when something happens after their end [linux-wbt]."""

    step: int
    depth: int
    most: bool
    """Whether a lower step would let no more in."""
    requests: int
    """Throttled requests under way."""
    writer_waits: bool
    """Whether a writer is held back now."""
    _tags: int
    _target_s: float
    _volatile: bool
    """Whether the device has a write cache that fsync empties."""
    _writer_waits_since_s: float
    _asleep: bool
    _window_end_s: float
    _reads: int
    _writes: int
    _unknown: int
    _least_s: float
    _first_read_s: float
    """When the first read that is at the device was handed over; infinite where there is none."""

    def __init__(self, tags: int, *, rotating: bool, volatile: bool) -> None:
        self._tags = tags
        self._target_s = law.target_s(rotating)
        self._volatile = volatile
        self.step = self.requests = 0
        self.depth, self.most = law.depth_at(tags, 0)
        self.writer_waits = self._asleep = False
        self._writer_waits_since_s = -inf
        self._window_end_s = self._least_s = inf
        self._reads = self._writes = self._unknown = 0
        self._first_read_s = inf

    def admits(self, now_s: float, *, sync: bool) -> bool:
        """Count a request in, if it may be under way now; *sync* is one that fsync waits for."""
        self._look(now_s)
        hurried = sync or self._hurried(now_s)
        if self._asleep or self.requests >= law.limit_requests(self.depth, hurried=hurried):
            self._asleep = True
            return False
        self.requests += 1
        if self._window_end_s == inf:
            self._window_end_s = now_s + law.window_s(self.step)
        return True

    def hold(self, now_s: float, writer_waits: bool) -> None:
        """Writers are held back from now on, or no longer."""
        self.writer_waits, self._writer_waits_since_s = writer_waits, now_s

    def handed_over(self, now_s: float, write: bool) -> None:
        """A request goes to the device."""
        if not write and self._first_read_s == inf:
            self._look(now_s)
            self._first_read_s = now_s

    def done(self, now_s: float, begin_s: float, write: bool, throttled: bool) -> None:
        """A request that went to the device at *begin_s* has left it."""
        self._look(now_s)
        if write:
            self._writes += 1
        else:
            self._reads += 1
            self._least_s = min(self._least_s, now_s - begin_s)
            if begin_s <= self._first_read_s:
                self._first_read_s = inf
        if throttled:
            self.requests -= 1
            drained = self._volatile and not self._hurried(now_s)
            if law.wakes_sleepers(self.requests, self.depth, drained=drained):
                self._asleep = False

    def _hurried(self, now_s: float) -> bool:
        return self.writer_waits or now_s < self._writer_waits_since_s + law.WRITER_WAIT_S

    def _look(self, now_s: float) -> None:
        while self._window_end_s <= now_s:
            end_s = self._window_end_s
            self._judge(end_s)
            self._reads = self._writes = 0
            self._least_s = inf
            goes_on = self.step or self.requests
            self._window_end_s = end_s + law.window_s(self.step) if goes_on else inf

    def _judge(self, end_s: float) -> None:
        """What ``latency_exceeded`` and ``wb_timer_fn`` make of a window."""
        open_s = max(0.0, end_s - self._first_read_s)
        slow = open_s > law.window_s(self.step) or (open_s > self._target_s and not self._reads)
        valid = self._reads and self._writes >= law.WRITE_SAMPLES
        if slow or (valid and self._least_s > self._target_s):
            if self.depth > 1:
                self._set(0 if self.step < 0 else self.step + 1)
        elif valid or self._writes or self.requests or self._hurried(end_s):
            self._scale_up()
        else:
            self._unknown += 1
            if self._unknown >= law.UNKNOWN_WINDOWS and self.step:
                self._set(self.step - 1 if self.step > 0 else self.step + 1)

    def _scale_up(self) -> None:
        if not self.most:
            self._set(self.step - 1)
            self._asleep = False

    def _set(self, step: int) -> None:
        self.step, self._unknown = step, 0
        self.depth, self.most = law.depth_at(self._tags, step)
