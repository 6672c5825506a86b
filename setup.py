"""The list of differences, and the compiled parts of the recorder where there is a compiler; the rest is declared."""

import glob
import pathlib
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

DIFFERENCES = "migration_guide/differences.toml"
NATIVE = "tfcompat/_native"


class BuildWithDifferences(build_py):
    """Copies the list of differences beside the tools, except where the package is used from its checkout."""

    def run(self):
        super().run()
        if not self.editable_mode:
            target = pathlib.Path(self.build_lib, "tfcompat", "_tools")
            target.mkdir(parents=True, exist_ok=True)
            self.copy_file(DIFFERENCES, str(target / "differences.toml"))


# Optional: what it does, Python does too, at a third of the speed. It relies on the lock of the interpreter.
native = Extension(
    "tfcompat._native._compiled",
    sorted(glob.glob(f"{NATIVE}/*.c")),
    depends=[f"{NATIVE}/native.h"],
    extra_compile_args=[] if sysconfig.get_platform().startswith("win") else ["-O3", "-fvisibility=hidden"],
    optional=True,
)
locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
setup(cmdclass={"build_py": BuildWithDifferences}, ext_modules=[native] if locked else [])
