"""What time goes to: wait events as Oracle names them, and the causes that no event names."""

from __future__ import annotations

from typing import Final

CPU: Final = "CPU"
FETCHES: Final = "projecting rows"
UPDATING: Final = "updating rows"
INSERTING: Final = "inserting rows"
DELETING: Final = "deleting rows"
MIGRATING: Final = "migrating rows"
SEARCHING: Final = "space search"
COMMITTING: Final = "commits"
CLEANOUT: Final = "block cleanout"
UNDO: Final = "consistent reads of changed blocks"
INDEXES: Final = "maintaining indexes"
SORTING: Final = "sorting rows"
HASHING: Final = "hashing rows"
COPIED: Final = "copying from the page cache in io_submit"
COPIES: Final = "copying from the page cache"

DIRECT: Final = "direct path read"
DIRECT_WRITE: Final = "direct path write"
READ_TEMP: Final = "direct path read temp"
WRITE_TEMP: Final = "direct path write temp"
TEMP: Final = (READ_TEMP, WRITE_TEMP)
SCATTERED: Final = "db file scattered read"
SEQUENTIAL: Final = "db file sequential read"
PARALLEL: Final = "db file parallel read"
OTHER_SESSION: Final = "read by other session"
BUFFER_BUSY: Final = "buffer busy waits"
ROW_LOCK: Final = "enq: TX - row lock contention"
ITL_ENTRY: Final = "enq: TX - allocate ITL entry"
LATCH: Final = "latch: cache buffers chains"
FREE_BUFFERS: Final = "free buffer waits"
KO_CHECKPOINT: Final = "enq: KO - fast object checkpoint"
PX_REPLY: Final = "PX Deq: Execute Reply"
PX_SEND: Final = "PX Deq Credit: send blkd"
PX_START: Final = "os thread startup"
OF_THE_COORDINATOR: Final = (PX_REPLY, PX_START)
"""Waits of a parallel query that its coordinator has, and not each of its servers."""
LOG_SPACE: Final = "log buffer space"
CHECKPOINT_INCOMPLETE: Final = "log file switch (checkpoint incomplete)"
ARCHIVING_NEEDED: Final = "log file switch (archiving needed)"
LOG_FULL: Final = (LOG_SPACE, CHECKPOINT_INCOMPLETE, ARCHIVING_NEEDED)
"""Waits for room for redo, in the buffer or in the next log."""
LOG_FILE_SYNC: Final = "log file sync"
TO_CLIENT: Final = "SQL*Net message to client"
FROM_CLIENT: Final = "SQL*Net message from client"
MORE_DATA: Final = "SQL*Net more data to client"
IDLE: Final = (FROM_CLIENT, PX_REPLY)
"""Events in which a session or a parallel server waits for work; they are no part of DB time."""
OUTSIDE_CALLS: Final = (*IDLE, LOG_FILE_SYNC, PX_START)
"""Waits between the calls of a statement: a commit is a call of its own."""
STATED: Final = "other waits (kept as measured)"
"""Time that the scenario states and the model does not make: waits of a cluster, for locks of the application."""

DEVICE: Final = "waiting for the device"
ROOM: Final = "waiting for room in the queue (nr_requests)"
WRITE_LIMIT: Final = "held back by the page cache"
COMMIT: Final = "waiting for a commit of the journal"
FSYNC: Final = "fsync"
THINKING: Final = "between calls"

RUN_QUEUE: Final = "run queue (CPU wait)"
SENT_TWICE: Final = "counted twice: CPU of SQL*Net sends"
COPIED_TWICE: Final = "counted twice: CPU of copies from the page cache"
BETWEEN_CALLS: Final = "outside calls (tracing of the measured system)"
SUBMIT_BLOCKED: Final = "blocked in io_submit, in no event"
AT_ONCE: Final = "calls under way at once"
SLOWEST: Final = "waiting for the slowest program"
NO_CAUSE: Final = "unaccounted for"
IN_NO_EVENT: Final = (RUN_QUEUE, SENT_TWICE, COPIED_TWICE, BETWEEN_CALLS, SUBMIT_BLOCKED, NO_CAUSE)
