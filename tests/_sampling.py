"""What runs of the tests that CI samples: all of them with TFCOMPAT_TESTS=whole."""

import os

WHOLE = os.environ.get("TFCOMPAT_TESTS") == "whole"


def one_in(count):
    """The step through a list of which one in `count` runs."""
    return 1 if WHOLE else count
