"""What hatchling does for a wheel beyond packing: the loops are compiled, where that can be."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "model" / "loops"))
import build


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled module to the wheel, which then is one for this Python and platform."""

    def dependencies(self) -> list[str]:
        """What compiling needs: Cython, and the compiler from the package index where there is none here."""
        return ["cython>=3.1", *([] if build.compilers() else ["ziglang>=0.13"])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless it has been done in this folder; an editable install finds the module beside its source."""
        made = build.file()
        if version == "editable":
            if problem := build.build():
                self.app.display_warning(f"{build.PLAIN} ({problem})")
            return
        if not made.is_file():
            self.scratch = Path(mkdtemp())
            made = build.file(self.scratch)
            if problem := build.build(self.scratch):
                self.app.display_warning(f"{build.PLAIN} ({problem})")
                return
        inside = Path("blocktime") / build.file().relative_to(build.MODEL.parent)  # the rooms are links in there
        build_data["force_include"][str(made)] = str(inside)
        build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is written."""
        if hasattr(self, "scratch"):
            rmtree(self.scratch)
