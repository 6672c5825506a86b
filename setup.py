"""The list of differences goes into the package, where `python -m tfcompat check` reads it; the rest is declared."""

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py

DIFFERENCES = "migration_guide/differences.toml"


class BuildWithDifferences(build_py):
    """Copies the list of differences beside the tools, except where the package is used from its checkout."""

    def run(self):
        super().run()
        if not self.editable_mode:
            target = pathlib.Path(self.build_lib, "tfcompat", "_tools")
            target.mkdir(parents=True, exist_ok=True)
            self.copy_file(DIFFERENCES, str(target / "differences.toml"))


setup(cmdclass={"build_py": BuildWithDifferences})
