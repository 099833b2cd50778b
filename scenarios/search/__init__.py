"""Searches along the fields of a scenario: the best point, a goal, where two cross, and what matters."""
