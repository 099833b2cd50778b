"""Cost of an hour from prices [oracle-price-list] [oracle-core-factor]; amounts in the prices' currency."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, ceiling
from blocktime.model.units import GIB

HOURS_PER_YEAR = 8760
HOURS_PER_MONTH = HOURS_PER_YEAR / 12
SECONDS_PER_HOUR = 3600
ROUNDING = 1e-9  # 25 * 0.28 is slightly more than 7 in floating point, and needs no eighth licence


def core_hours(cpu_s: Number) -> Number:
    """Hours of one core in *cpu_s* seconds of CPU."""
    return cpu_s / SECONDS_PER_HOUR


def licences(cores: Number, core_factor: Number) -> Number:
    """Processor licences of a machine: cores × core factor, rounded up to whole ones [oracle-core-factor]."""
    return ceiling(cores * core_factor - ROUNDING)


def licence_per_hour(licence_per_processor: Number, years: Number) -> Number:
    """Hourly cost of a processor licence, paid once and spread over *years* of use day and night."""
    return licence_per_processor / (years * HOURS_PER_YEAR)


def support_per_hour(licence_per_processor: Number, support_percent: Number) -> Number:
    """Hourly cost of a processor licence's support, a yearly share of the licence [oracle-price-list]."""
    return licence_per_processor * support_percent / 100 / HOURS_PER_YEAR


def storage_per_hour(
    size_bytes: Number,
    per_gb_month: Number,
    requests_per_s: Number,
    per_iops_month: Number,
    volume_per_month: Number = 0.0,
) -> Number:
    """Hourly cost of storage: its bytes, the paid requests per second, and the flat price of the volume."""
    month = size_bytes / GIB * per_gb_month + requests_per_s * per_iops_month + volume_per_month
    return month / HOURS_PER_MONTH
