"""The simulation: SimPy processes over the same laws and demands as the calculator."""
