"""Where a session looks for free space: the ASSM bitmap, and the free lists of manual space management. No clock.

The search order, and that a block with a full ITL list stays on offer, is that of [geist-assm]; the places where
several sessions start are spread evenly, where Oracle hashes a process id.
"""

from __future__ import annotations

from blocktime.model.laws.assm import CLASSES, FREE_75_100, FULL
from blocktime.model.loops.arrays import Bytes, Wholes, more_bytes, more_wholes, some_bytes, wholes

ITL, UNCOMMITTED = 1, 1 << 32
"""Why a block is stuck: its ITL list is full, or what others hold. One number counts how many are of either kind."""
NOWHERE = -1


class SpaceMap:
    """Freeness of every block below the high-water mark, grouped by the L1 bitmap block that holds it.

    A *stuck* block is on offer by its class but is known to reject: it is counted, not looked at again.
    """

    sessions: int
    version: int
    passed: int
    """Stuck blocks that the search has passed so far."""
    _blocks: int
    _seen: Bytes
    _stuck: Wholes
    _l1_of: Wholes
    _l1_blocks: int
    _first: Wholes
    """First block of each L1."""
    _length: Wholes
    _open: Wholes
    """L1, class -> blocks on offer that may accept."""
    _rejecting: Wholes
    _hint: Wholes
    _session: int
    _least: int
    _literal: bool
    _start: int
    _turn: int
    """L1 blocks that the search has looked at, from its start on."""
    _done: int
    """That of the hint, if the search has been there before all others."""
    _l1: int
    """In which the search is, or NOWHERE."""
    _offset: int
    _left: int
    _behind: int
    """Stuck blocks in it and before it, when the search came."""

    def __init__(self, sessions: int) -> None:
        self.sessions = sessions
        self.version = self.passed = self._blocks = self._l1_blocks = 0
        self._seen, self._stuck, self._l1_of = some_bytes(1024), wholes(1024, 0), wholes(1024, 0)
        self._first, self._length = wholes(64, 0), wholes(64, 0)
        self._open, self._rejecting = wholes(64 * CLASSES, 0), wholes(64 * CLASSES, 0)
        self._hint = wholes(sessions, NOWHERE)
        self._session = self._least = self._start = self._turn = self._offset = self._left = self._behind = 0
        self._literal = False
        self._done = self._l1 = NOWHERE

    def grow(self, blocks: int, l1: int) -> None:
        """Put *blocks* empty blocks behind the last on offer, under L1 block number *l1*: the last, or a new one."""
        end = self._blocks + blocks
        while end > len(self._seen):
            self._seen = more_bytes(self._seen)
            self._stuck = more_wholes(self._stuck)
            self._l1_of = more_wholes(self._l1_of)
        if l1 == self._l1_blocks:
            if l1 == len(self._first):
                self._first = more_wholes(self._first)
                self._length = more_wholes(self._length)
                self._open = more_wholes(self._open)
                self._rejecting = more_wholes(self._rejecting)
            self._first[l1] = self._blocks
            self._l1_blocks += 1
        self._length[l1] += blocks
        for block in range(self._blocks, end):
            self._l1_of[block] = l1
            self._seen[block] = FREE_75_100
        self._open[CLASSES * l1 + FREE_75_100] += blocks
        self._blocks = end
        self.version += 1

    def seen(self, block: int) -> int:
        """The class the bitmap has for *block*."""
        return int(self._seen[block])

    def classes(self) -> Bytes:
        """The class of every block, in order."""
        return self._seen[: self._blocks]

    def set_class(self, block: int, wanted: int) -> None:
        """Note that *block* is in class *wanted*."""
        before: int = self._seen[block]
        if before == wanted:
            return
        stuck: int = self._stuck[block]
        first: int = CLASSES * self._l1_of[block]
        weight = stuck if stuck else 1
        counts = self._rejecting if stuck else self._open
        if before != FULL:
            counts[first + before] -= weight
        if wanted != FULL:
            counts[first + wanted] += weight
        self._seen[block] = wanted
        self.version += 1

    def fill(self, blocks: int) -> None:
        """Note that the first *blocks* blocks, all of them empty until now, are full."""
        for block in range(blocks):
            self._open[CLASSES * self._l1_of[block] + FREE_75_100] -= 1
            self._seen[block] = FULL
        self.version += 1

    def forget(self) -> None:
        """Let every session's next search start where a new session's does."""
        for session in range(self.sessions):
            self._hint[session] = NOWHERE

    def aim(self, session: int, block: int) -> None:
        """Let the session's next search start at the L1 block that holds *block*."""
        self._hint[session] = self._l1_of[block]

    def stick(self, block: int, why: int) -> None:
        """Note why *block* rejects while it is on offer, ITL or HELD, or 0 when it may accept again."""
        before: int = self._stuck[block]
        if before == why:
            return
        seen: int = self._seen[block]
        if seen != FULL:
            at = CLASSES * self._l1_of[block] + seen
            self._rejecting[at] += why - before
            self._open[at] += int(why == 0) - int(before == 0)
        self._stuck[block] = why
        self.version += 1

    def _offered(self, l1: int, least: int) -> int:
        """Blocks of an L1 block of class *least* or better that may accept."""
        blocks = 0
        for at in range(CLASSES * l1 + least, CLASSES * l1 + CLASSES):
            blocks += self._open[at]
        return blocks

    def _stuck_in(self, l1: int, least: int) -> int:
        blocks = 0
        for at in range(CLASSES * l1 + least, CLASSES * l1 + CLASSES):
            blocks += self._rejecting[at]
        return blocks

    def _first_l1(self, session: int) -> int:
        hint: int = self._hint[session]
        return hint if hint != NOWHERE else session * self._l1_blocks // self.sessions

    def settle(self, session: int, least: int) -> None:
        """Move the session's hint on to the first L1 block with anything on offer, as the start of a search does."""
        l1 = self._first_l1(session)
        for _ in range(self._l1_blocks):
            if self._offered(l1, least) or self._stuck_in(l1, least):
                self._hint[session] = l1
                return
            l1 = l1 + 1 if l1 + 1 < self._l1_blocks else 0

    def begin_search(self, session: int, least: int, literal: bool) -> None:
        """Search blocks of class *least* or better in the session's order: :meth:`next_block` gives one after another.

        With *literal*, stuck blocks are offered too, and none is counted. Most searches end in the L1 block of the
        session's hint: the others are looked at when it has nothing left.
        """
        self.settle(session, least)
        self._session, self._least, self._literal = session, least, literal
        self._start, self._turn, self.passed = self._first_l1(session), 0, 0
        self._done = self._l1 = NOWHERE
        hint: int = self._hint[session]
        if hint != NOWHERE and (literal or self._offered(hint, least)):
            self._enter(hint)
            self._done = hint

    def _enter(self, l1: int) -> None:
        """Begin with an L1 block, where the session starts in it."""
        self._l1, self._left = l1, self._length[l1]
        self._offset = self._session * self._left // self.sessions
        self._behind = self.passed
        if not self._literal:
            self._behind += self._stuck_in(l1, self._least)

    def next_block(self) -> int:
        """The next block on offer that may accept, or -1 when there is none; *passed* counts the stuck ones before."""
        while True:
            if self._l1 == NOWHERE and not self._next_l1():
                return NOWHERE
            while self._left:
                block: int = self._first[self._l1] + self._offset
                self._left -= 1
                self._offset = self._offset + 1 if self._offset + 1 < self._length[self._l1] else 0
                if self._seen[block] >= self._least:
                    if self._literal or not self._stuck[block]:
                        return block
                    self.passed += self._stuck[block]
            self.passed = self._behind
            self._l1 = NOWHERE

    def _next_l1(self) -> bool:
        """Go on to the next L1 block that offers something; whether there is one."""
        while self._turn < self._l1_blocks:
            l1 = self._start + self._turn
            if l1 >= self._l1_blocks:
                l1 -= self._l1_blocks
            self._turn += 1
            if l1 == self._done:
                continue
            if self._offered(l1, self._least) or (self._literal and self._stuck_in(l1, self._least)):
                self._enter(l1)
                return True
            if not self._literal:
                self.passed += self._stuck_in(l1, self._least)
        return False


class FreeLists:
    """Manual space management: one list of blocks with space, last in first out, and one for each open transaction."""

    _master: list[int]
    _by_session: list[list[int]]
    _listed: set[int]

    def __init__(self, sessions: int) -> None:
        self._master = []
        self._by_session = [[] for _ in range(sessions)]
        self._listed = set()

    def add_new(self, first: int, behind: int) -> None:
        """Link new blocks, from *first* up to *behind*, so that the first of them is used first."""
        for block in range(behind - 1, first - 1, -1):
            self._master.append(block)
            self._listed.add(block)

    def link(self, session: int, block: int) -> None:
        """Link a block that *session* has emptied below PCTUSED; others see it after the commit."""
        if block not in self._listed:
            self._by_session[session].append(block)
            self._listed.add(block)

    def has(self, block: int) -> bool:
        """Whether *block* is on a list."""
        return block in self._listed

    def unlink_below(self, block: int) -> None:
        """Take every block before *block* off the master list."""
        self._master = [listed for listed in self._master if listed >= block]
        self._listed = set(self._master)

    def unlink(self, session: int, block: int) -> None:
        """Take *block* off its list."""
        session_list: list[int] = self._by_session[session]
        stack = session_list if block in session_list else self._master
        if stack[len(stack) - 1] == block:
            stack.pop()
        else:
            stack.remove(block)
        self._listed.discard(block)

    def commit(self, session: int) -> None:
        """Hand the transaction's own list on to everybody."""
        self._master += self._by_session[session]
        self._by_session[session] = []

    def first(self, session: int) -> int:
        """The head of the session's list, or of everybody's; -1 where both are empty."""
        session_list: list[int] = self._by_session[session]
        if session_list:
            return session_list[len(session_list) - 1]
        master = self._master
        return master[len(master) - 1] if master else NOWHERE
