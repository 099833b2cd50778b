"""Gain of a drive that chooses among the commands in its queue: the shortest of several positionings.

The positioning of a command is seek plus rotation; the drive takes the shortest of *commands* random ones
[worthington-1994]. NOTE: commands that the drive has passed over are, more often than by chance, at places that the
heads do not reach soon. The law draws places and angles anew each time: compared with the simulation it is 3 % too fast
with 4 commands, 8 % with 8 and 11 % with 32.
"""

from __future__ import annotations

from blocktime.model.laws.disk_fields import DiskFields
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_means import seek_curve
from blocktime.model.laws.disk_strides import cylinder_of
from blocktime.model.laws.numeric import Number, larger, largest, smaller

LEAST_S = 1e-15
STEPS = 16
"""Of a rotation, for the integral over time."""
MOST_STEPS = 400
"""Of the average seek; only an extremely short rotation would need more."""
STARTS = 4
"""Starting places of the heads, for the integral over places; the other half of the span mirrors them."""


class Positionings:
    """How long the heads of a drive take to random places in its first *span_bytes*, as chances over time.

    The chance that a place is not reached within t is 1 - F(t), where F(t) is the mean over the last turn of the share
    of the span within reach of a seek. That none of n places is reached has (1 - F(t))ⁿ, whose integral is the mean of
    the shortest. Cylinders count alike, whatever their zone.
    """

    def __init__(self, disk: DiskFields, span_bytes: Number) -> None:
        g = geometry_of(disk)
        cylinders = larger(1.0, cylinder_of(g, span_bytes))
        step_s = larger(g.rotation_s / STEPS, g.average_seek_s / MOST_STEPS)
        steps = 1 + int(largest(g.full_seek_s / step_s)) + STEPS
        self.each_s = step_s / STARTS
        self.left: list[Number] = []
        curve = seek_curve(g)
        reaches = [_reach(curve, g.average_seek_s, (step + 0.5) * step_s) / cylinders for step in range(steps)]
        for start in range(STARTS):
            place = (start + 0.5) / (2 * STARTS)
            reached: list[Number] = []
            within: Number = 0.0
            for step, reach in enumerate(reaches):
                reached.append(smaller(place, reach) + smaller(1 - place, reach))
                within = within + reached[step] / STEPS
                if step >= STEPS:
                    within = within - reached[step - STEPS] / STEPS
                self.left.append(larger(0.0, 1 - within))


def gained(left: list[Number], commands: Number) -> Number:
    """Reduction of the shortest of n positionings, in steps: Σ l - lⁿ over the chances l that none has ended."""
    steps: Number = 0.0
    for chance in left:
        steps = steps + (chance - chance**commands)
    return steps


def _reach(curve: tuple[Number, Number, Number, Number], average_seek_s: Number, seek_s: Number) -> Number:
    """Cylinders to one side that a seek reaches in a time: the seek curve turned round."""
    third, base, root, slope = curve
    near = (larger(0.0, seek_s - base) / larger(LEAST_S, root)) ** 2
    far = larger(0.0, seek_s - average_seek_s) / larger(LEAST_S, slope)
    return smaller(near, third) + far
