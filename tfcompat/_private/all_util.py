"""tensorflow/python/util/all_util.py: modules that show only the names their docstrings list."""

import re
import sys


def make_all(module_name, doc_string_modules=None):
    """The names of a module that come after `@@` in docstrings, those of these modules or else its own."""
    module = sys.modules[module_name]
    texts = [shown.__doc__ or "" for shown in doc_string_modules or [module]]
    listed = {name for text in texts for name in re.findall(r"^@@(\w+)\s*$", text, re.MULTILINE)}
    return [name for name in listed if hasattr(module, name)]


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Deletes the public names of a module that are neither listed nor allowed."""
    module = sys.modules[module_name]
    documented = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in [name for name in dir(module) if not name.startswith("_") and name not in documented]:
        delattr(module, name)
