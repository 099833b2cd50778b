"""Where time passes: SimPy processes over the same laws and demands as the calculator."""

from model.sim.figures import simulate_measures
from model.sim.run import simulate

__all__ = ["simulate", "simulate_measures"]
