"""Exact mean values of two closed classes at one exponential first-come-first-served device with pauses."""


def two_classes(first: tuple[int, float], second: tuple[int, float], *, service_s: float) -> tuple[float, float]:
    """Response at the device of each class: programs and their mean pause; the service is the same for both.

    Formula: R_c(n) = S (1 + Q(n - e_c)), X_c = n_c / (Z_c + R_c), Q = sum X_c R_c [reiser-lavenberg-1980].
    """
    (most, pause_s), (others, other_pause_s) = first, second
    queue = {(0, 0): 0.0}
    found = (0.0, 0.0)
    for a in range(most + 1):
        for b in range(others + 1):
            if a == b == 0:
                continue
            one_s = service_s * (1 + queue[a - 1, b]) if a else 0.0
            other_s = service_s * (1 + queue[a, b - 1]) if b else 0.0
            per_s = a / (pause_s + one_s) if a else 0.0
            other_per_s = b / (other_pause_s + other_s) if b else 0.0
            queue[a, b] = per_s * one_s + other_per_s * other_s
            found = (one_s, other_s)
    return found
