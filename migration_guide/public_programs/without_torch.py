"""A plugin of pytest for the tests of transformers where PyTorch is not installed.

They import tests of pipelines, which expect that a table of PyTorch's models is false if there are none. What
transformers gives instead of such a table is a class that raises when it is read. This makes these classes false.
"""

from transformers.utils.import_utils import DummyObject

DummyObject.__bool__ = lambda cls: not cls.__name__.endswith("_MAPPING")
