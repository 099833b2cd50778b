"""What others wrote and Blocktime installs: a list of licences, and a bill of materials.

`python3 dev.py licences` writes docs/licences.md and .dev/blocktime.cdx.json (CycloneDX); with --check it compares.
"""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Final

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from blocktime.model.version import RELEASE

ROOT: Final = Path(__file__).resolve().parents[1]
LIST: Final = ROOT / "docs" / "licences.md"
BILL: Final = ROOT / ".dev" / "blocktime.cdx.json"
USER, TESTS, TOOL, ZIG = (ROOT / f"requirements{what}.lock" for what in ("", "-test", "-uv", "-zig"))
PIN: Final = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)
BLOCK: Final = re.compile(r"^([a-z0-9-]+)==(\S+)([^\n]*(?:\n .*)*)", re.MULTILINE)

# What a user may be given: no licence that reaches into what uses the package.
FREE: Final = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT",
    "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
# Read in the package itself, where its metadata names no SPDX expression, or where not every Python installs it.
READ: Final = {
    "altair": "BSD-3-Clause",
    "axe-playwright-python": "MIT AND MPL-2.0",
    "colorama": "BSD-3-Clause",
    "defusedxml": "PSF-2.0",
    "grimp": "BSD-2-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "import-linter": "BSD-2-Clause",
    "importlib-metadata": "Apache-2.0",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "lazy-importer": "Apache-2.0",
    "libcachesim": "GPL-3.0-or-later",
    "partd": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "pydeck": "Apache-2.0",
    "pywin32": "PSF-2.0",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "s3transfer": "Apache-2.0",
    "scipy": "BSD-3-Clause",
    "sortedcontainers": "Apache-2.0",
    "tzdata": "Apache-2.0",
    "uv": "MIT OR Apache-2.0",
    "zict": "BSD-3-Clause",
    "ziglang": "MIT",
    "zipp": "MIT",
}
CLASSIFIED: Final = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
BUNDLED: Final = (
    "The files of numpy and scipy for Linux carry OpenBLAS (BSD-3-Clause) and, of GCC, libgfortran"
    " (GPL-3.0-or-later WITH GCC-exception-3.1, which does not reach into what uses it) and libquadmath"
    " (LGPL-2.1-or-later)."
)


def packages(lock: Path) -> dict[str, list[str]]:
    """Versions of each package of a lock, by name."""
    found: dict[str, list[str]] = {}
    for name, version in PIN.findall(lock.read_text(encoding="utf-8")):
        found.setdefault(name, []).append(version)
    return found


def licence(name: str) -> str | None:
    """SPDX expression of a package's licence: as it was read, or as the installed package declares it."""
    if name in READ:
        return READ[name]
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    declared = next((said[key] for key in ("License-Expression", "License") if key in said), None)
    if declared and licences(declared) <= FREE:
        return declared
    known = {CLASSIFIED[line] for line in said.get_all("Classifier", []) if line in CLASSIFIED}
    return known.pop() if len(known) == 1 else None


def licences(expression: str) -> set[str]:
    """The licences that an SPDX expression names."""
    return set(re.split(r" AND | OR ", expression.replace("(", "").replace(")", "")))


def faults(user: dict[str, list[str]], all_names: list[str]) -> list[str]:
    """One sentence for each licence that is unknown, or that a user should not be given."""
    unknown = [
        f"The licence of {name} is not known: read it in the package and add it to READ in licences.py."
        for name in all_names
        if licence(name) is None
    ]
    unfree = [
        f"A user would install {name} under {expression}; licences.py allows {', '.join(sorted(FREE))}."
        for name in user
        if (expression := licence(name)) and not licences(expression) <= FREE
    ]
    return unknown + unfree


def written(user: dict[str, list[str]], tests: dict[str, list[str]], tool: dict[str, list[str]]) -> str:
    """The list of licences, as docs/licences.md has it."""
    lines = ["# Licences of what Blocktime installs", ""]
    lines += ["Blocktime itself is under the MIT licence (`LICENSE`). `python3 dev.py licences` writes this list.", ""]
    lines += [textwrap.fill(BUNDLED, 120), ""]
    parts = {
        "What a user installs (`python3 dev.py app`)": user,
        "What tests and checks add (`python3 dev.py test`)": tests,
        "What `dev.py` makes `.venv` with, and a C compiler where there is none": tool,
    }
    for title, part in parts.items():
        lines += [f"## {title}", "", "| package | version | licence |", "|---|---|---|"]
        lines += [f"| {name} | {', '.join(versions)} | {licence(name)} |" for name, versions in part.items()]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def bill(user: dict[str, list[str]], tests: dict[str, list[str]]) -> str:
    """The bill of materials in CycloneDX: every package with version, licence and the hashes of its files."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    made = Bom()
    made.metadata.component = root = Component(
        name=ours["name"],
        version=RELEASE,
        type=ComponentType.APPLICATION,
        licenses=[LicenseExpression(ours["license"])],
    )
    hashes = {
        (name, version): re.findall(r"--hash=sha256:(\w+)", block)
        for name, version, block in BLOCK.findall(TESTS.read_text(encoding="utf-8"))
    }
    components = [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("pypi", None, name, version),
            bom_ref=f"{name}=={version}",
            scope=ComponentScope.REQUIRED if name in user else ComponentScope.EXCLUDED,
            licenses=[LicenseExpression(licence(name) or "NOASSERTION")],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in hashes[name, version]],
        )
        for name, versions in {**user, **tests}.items()
        for version in versions
    ]
    made.components.update(components)
    made.register_dependency(root, components)
    return make_outputter(made, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)


def main(*options: str) -> int:
    """Write the list and the bill, or compare the list with --check; 1 with a sentence for each fault."""
    user, both, tool = packages(USER), packages(TESTS), packages(TOOL) | packages(ZIG)
    tests = {name: versions for name, versions in both.items() if name not in user}
    found = faults(user, [*user, *tests, *tool])
    BILL.parent.mkdir(exist_ok=True)
    BILL.write_text(bill(user, tests), encoding="utf-8")
    text = written(user, tests, tool)
    if options != ("--check",):
        LIST.write_text(text, encoding="utf-8")
    elif not LIST.is_file() or LIST.read_text(encoding="utf-8") != text:
        found.append("docs/licences.md is not what the locks say: call `python3 dev.py licences`.")
    print(*found or [f"{len(user)} packages for a user, {len(tests)} more for tests: {BILL}"], sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
