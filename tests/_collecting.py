"""How often Python looks for garbage while tests run: seldom."""

import gc

# A trace makes many objects that live for a test. Python would go through all that have piled up again and again,
# which takes a seventh of the time of the tests.
_THRESHOLDS = (50_000, 10, 10)  # new objects; young collections; collections of the middle generation


def collect_seldom():
    """What there is now stays and is not looked at again; garbage is looked for among what comes."""
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
