"""An update whose rows grow, as sections of a scenario."""

GROWING: dict[str, dict[str, object]] = {
    "tablespace": {"block_size_bytes": 16384},
    "table": {
        "rows": 200_000,
        "columns": [{"name": "N1", "bytes": 4.9899}, {"name": "N2", "null_fraction": 1.0, "bytes": 4.9899}],
        "cached_fraction": 1.0,
    },
    "instance": {"release": "10.2.0.4"},
    "workload": {"kind": "update", "sets": [{"name": "N2", "bytes": 4.9899}]},
}
