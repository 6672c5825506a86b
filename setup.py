"""The list of differences, the stubs, the compiled recorder where there is a compiler; the rest is declared."""

import glob
import pathlib
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

DIFFERENCES = "migration_guide/differences.toml"
STUBS = "stubs/tfcompat-stubs"
NATIVE = "tfcompat/_native"


class BuildWithData(build_py):
    """Copies the differences beside the tools and the stubs beside the package, except for use from the checkout."""

    def run(self):
        super().run()
        if not self.editable_mode:
            target = pathlib.Path(self.build_lib, "tfcompat", "_tools")
            target.mkdir(parents=True, exist_ok=True)
            self.copy_file(DIFFERENCES, str(target / "differences.toml"))
            self.copy_tree(STUBS, str(pathlib.Path(self.build_lib, "tfcompat-stubs")))


# Optional: what it does, Python does too, at a third of the speed. It relies on the lock of the interpreter.
native = Extension(
    "tfcompat._native._compiled",
    sorted(glob.glob(f"{NATIVE}/*.c")),
    depends=[f"{NATIVE}/native.h"],
    extra_compile_args=[] if sysconfig.get_platform().startswith("win") else ["-O3", "-fvisibility=hidden"],
    extra_link_args=["-Wl,--strip-all"] if sysconfig.get_platform().startswith("linux") else [],  # a fifth of the size
    optional=True,
)
locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
setup(cmdclass={"build_py": BuildWithData}, ext_modules=[native] if locked else [])
