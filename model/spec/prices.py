"""A price list: what licences, cores and storage cost. Without a currency there are no prices, and no money."""

from typing import Annotated

from pydantic import Field, field_validator, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, Real, Size, setting

MOST = 1e9
Price = Annotated[Real, Field(ge=0, le=MOST)]


class Prices(Frozen):
    """What a year, an hour or a month of something costs; no price has a default, what is not given costs nothing."""

    currency: str | None = setting(
        None,
        "Currency of all prices, such as EUR; needed for any of them",
        GENERAL,
        min_length=1,
        max_length=12,
    )
    licence_per_processor: Price | None = setting(
        None, "A processor licence, paid once; a core needs core_factor of one", "oracle-price-list"
    )
    licence_years: Real = setting(
        5.0, "Years over which a licence is spread, as accountants write it off", GENERAL, gt=0.01, le=100
    )
    support_percent: Real = setting(
        22.0, "Support a year, as a share of the licence", "oracle-price-list", ge=0, le=100
    )
    core_factor: Real = setting(
        0.5, "Processor licences that a core needs; 0.5 is that of x86", "oracle-core-factor", gt=0.001, le=10
    )
    core_per_hour: Price | None = setting(
        None, "A core's machine, power and room, or its rent in a cloud, without the licence", GENERAL
    )
    storage_per_gb_month: Price | None = setting(None, "Storage, for each GB of 2^30 bytes", GENERAL)
    storage_per_iops_month: Price | None = setting(
        None, "Storage, for each request a second paid for", GENERAL
    )
    storage_bytes: Annotated[Size, Field(ge=0, le=1024**6)] | None = setting(
        None,
        "Bytes paid for; those of the segment, of the data or of a stream's files if not set",
        GENERAL,
    )
    storage_iops: Annotated[Real, Field(ge=0, le=MOST)] | None = setting(
        None,
        "Requests a second paid for; disk.iops_limit if not set, 0 where that is none",
        GENERAL,
    )

    @field_validator("currency")
    @classmethod
    def _a_currency(cls, value: str | None) -> str | None:
        if value is not None and (not value.isprintable() or value != value.strip()):
            raise ValueError(f"{value!r} is not a currency; write it like EUR or USD")
        return value

    @model_validator(mode="after")
    def _prices_have_a_currency(self) -> "Prices":
        if self.currency is None:
            for name in PRICED:
                price = getattr(self, name)
                if price is not None:
                    raise ValueError(f"{name} {price:g} has no currency; set prices.currency, such as EUR")
        return self


PRICED = ("licence_per_processor", "core_per_hour", "storage_per_gb_month", "storage_per_iops_month")
"""The fields that are prices; the others say how much is paid for, and how long."""
