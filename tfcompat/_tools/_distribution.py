"""What `importlib.metadata` says of the packages for which tfcompat stands; others ask it whether there is one."""

import pathlib
import re
from importlib.metadata import Distribution

from tfcompat.version import VERSION

_MODULES = {"tensorflow": "tensorflow", "tf-keras": "tf_keras", "keras": "keras"}  # by name of the distribution


def distributions(context, stands_for):
    """The distributions that are looked for.

    Args:
      context: importlib.metadata.DistributionFinder.Context. Where it names folders, what is in these is asked for.
      stands_for: callable, whether tfcompat stands for the module of a name.
    """
    if "path" in vars(context):
        return []
    wanted = context.name and re.sub(r"[-_.]+", "-", context.name).lower()
    return [_Distribution(name) for name in _MODULES if wanted in (None, name) and stands_for(_MODULES[name])]


class _Distribution(Distribution):
    """A package of TensorFlow's version without files."""

    def __init__(self, name):
        self._files = {
            "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\nSummary: tfcompat in its place\n",
            "top_level.txt": f"{_MODULES[name]}\n",
        }

    def read_text(self, filename):
        return self._files.get(str(filename))

    def locate_file(self, path):
        return pathlib.Path(__file__).parent.parent / path
