"""A price list: what licences, cores and storage cost. Without a currency there are no prices, and no money."""

from typing import Annotated, ClassVar

from pydantic import Field, field_validator, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import GENERAL, Declaration, Real, Size, catalog_entry, setting
from blocktime.model.spec.groups import PRICES

MOST = 1e9
Price = Annotated[Real, Field(ge=0, le=MOST)]


class Prices(Frozen):
    """What a year, an hour or a month of something costs; no price has a default, what is not given costs nothing."""

    use: ClassVar[Declaration] = catalog_entry(PRICES.at(10, "Price list"), words="cost costs money")
    currency: str | None = setting(
        None, GENERAL, PRICES.at(20, "Currency"), offers="EUR USD GBP CHF JPY", min_length=1, max_length=12
    )
    """Currency of all prices, such as EUR; needed for any of them."""
    licence_per_processor: Price | None = setting(None, "oracle-price-list", PRICES.at(30, "Licence"), words="license")
    """A processor licence, paid once; a core needs core_factor of one."""
    licence_years: Real = setting(5.0, GENERAL, PRICES.at(40, "Licence spread over"), gt=0.01, le=100)
    """Years over which a licence is spread, as accountants write it off."""
    support_percent: Real = setting(22.0, "oracle-price-list", PRICES.at(50, "Support a year"), within=(0, 100))
    """Support a year, as a share of the licence."""
    core_factor: Real = setting(
        0.5, "oracle-core-factor", PRICES.at(60, "Core factor"), unit="licences/core", gt=0.001, le=10
    )
    """Processor licences that a core needs; 0.5 is that of x86."""
    core_per_hour: Price | None = setting(None, GENERAL, PRICES.at(70, "Core without licence"))
    """A core's machine, power and room, or its rent in a cloud, without the licence."""
    storage_per_gb_month: Price | None = setting(None, GENERAL, PRICES.at(80, "Storage"))
    """Storage, for each GB of 2^30 bytes."""
    storage_per_iops_month: Price | None = setting(None, GENERAL, PRICES.at(90, "Storage by IOPS"))
    """Storage, for each request a second paid for."""
    storage_per_mb_s_month: Price | None = setting(None, GENERAL, PRICES.at(92, "Storage by MB/s"))
    """Storage, for each MB of 2^20 bytes a second that the limit of a volume allows."""
    storage_free_iops: Real = setting(
        0.0, GENERAL, PRICES.at(94, "IOPS in the price by size"), unit="requests/s", within=(0, MOST)
    )
    """Requests a second of each volume that its price by size includes."""
    storage_free_bytes_per_s: Real = setting(0.0, GENERAL, PRICES.at(96, "MB/s in the price by size"), within=(0, 1e15))
    """Bytes a second of each volume that its price by size includes."""
    memory_per_gb_month: Price | None = setting(None, GENERAL, PRICES.at(75, "Memory"), words="ram")
    """Memory of the buffer caches, for each GB of 2^30 bytes."""
    storage_bytes: Annotated[Size, Field(ge=0, le=1024**6)] | None = setting(None, GENERAL)
    """Bytes paid for; those of the segment, of the data or of a stream's files if not set."""
    storage_iops: Annotated[Real, Field(ge=0, le=MOST)] | None = setting(None, GENERAL, unit="requests/s")
    """Requests a second paid for; disk.iops_limit if not set, 0 where that is none."""

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


PRICED = {
    "licence_per_processor": "licences",
    "core_per_hour": "cores",
    "memory_per_gb_month": "memory",
    "storage_per_gb_month": "storage by size",
    "storage_per_iops_month": "storage by IOPS",
    "storage_per_mb_s_month": "storage by MB/s",
}
"""Field that is a price -> what it prices; the other fields say how much is paid for, and how long."""
