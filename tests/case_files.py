"""What case files of tests begin with."""

FIRST_TABLE = """\
[source]
key = "someone"
author = "Someone"
title = "Something"
document = "document 9"
locator = "everywhere"
system = "a machine"
samples = 1
[[table]]
name = "fetch"
locator = "line 1"
scenario = "rahn-full-scan"
keys = ["size"]
set = { size = "tablespace.block_size_bytes" }
"""
"""A source, and a table of fetches up to its columns."""
