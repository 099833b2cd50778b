"""Time that one request uses a device: positioning and transfer.

Typical figures of rotating disks [drive-data-sheets]; flash has no positioning. Queueing is in other modules.
"""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, ceiling, larger
from blocktime.model.units import KIB


def transfer_s(size_bytes: Number, bandwidth_bytes_per_s: Number) -> Number:
    """Time to move *size_bytes* over the device's channel."""
    return size_bytes / bandwidth_bytes_per_s


def reported_s(done_s: Number, interval_s: Number) -> Number:
    """Time at which a drive reports a command that ends at *done_s*: the next multiple of *interval_s*.

    Controllers collect completions so that one interrupt reports several [interrupt-coalescing].
    """
    return ceiling(done_s / interval_s - 1e-9) * interval_s


def copy_time_s(size_bytes: Number, copy_bytes_per_s: Number) -> Number:
    """Time to copy *size_bytes* from the host's page cache to the reader."""
    return size_bytes / copy_bytes_per_s


def pipelined_s(first_s: Number, device_s: Number, consumer_s: Number, last_s: Number) -> Number:
    """Elapsed time of asynchronous reads consumed in order: the slower of device and consumer hides the other.

    *first_s* is the first read, which is never hidden; *device_s* the device time of all reads over its parallelism;
    *consumer_s* the time between reaps summed; *last_s* the consumption of the last read. Exact if the same one is
    slower in every step; otherwise too low by at most the unevenness of the reads.
    """
    return larger(first_s + consumer_s, device_s + last_s)


NEAR_BYTES = 256 * KIB


def continues(start_byte: Number, last_end_byte: Number) -> Number:
    """Whether a read starts where the device's last one ended, or close enough to need no positioning.

    A drive that reads ahead has the next 256 KB in its buffer or under its heads [general knowledge].
    """
    return (start_byte >= last_end_byte) & (start_byte - last_end_byte <= NEAR_BYTES)
