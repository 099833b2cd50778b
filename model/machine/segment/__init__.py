"""A table in its blocks: rows, space map and extents."""
