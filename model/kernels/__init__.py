"""What the loops of :mod:`model.loops` answer, for arrays, and what they are handed: checked before they begin."""
