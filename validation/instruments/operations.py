"""Row sources of a plan by Oracle's own words, without the names of objects."""

from __future__ import annotations

from typing import Final

NAMED: Final = (
    "TABLE ACCESS FULL BY INDEX ROWID BATCHED USER GLOBAL LOCAL CLUSTER HASH SAMPLE STORAGE INMEMORY RANGE UNIQUE SCAN "
    "FAST SKIP DESCENDING (MIN/MAX) SORT AGGREGATE ORDER GROUP JOIN NESTED LOOPS OUTER SEMI ANTI MERGE CARTESIAN "
    "BUFFER FILTER VIEW COUNT STOPKEY UNION-ALL UNION CONCATENATION FIXED DELETE UPDATE INSERT LOAD AS SELECT "
    "CONVENTIONAL SEQUENCE PARTITION SINGLE ALL ITERATOR INLIST PX COORDINATOR SEND RECEIVE WINDOW NOSORT PUSHED RANK "
    "QC (RANDOM) BLOCK BITMAP CONVERSION TO ROWIDS FROM AND OR MINUS INTERSECTION CONNECT WITH RESULT CACHE REMOTE "
    "EXTERNAL VALUE"
)
WORDS: Final = frozenset(NAMED.split())


def operation_of(row_source: str) -> str:
    """The operation at the begin of *row_source*: Oracle's words up to the first other one, or a gap of two spaces."""
    words: list[str] = []
    for word in row_source.strip().partition("  ")[0].split(" "):
        if word not in WORDS:
            break
        words.append(word)
    return " ".join(words)
