"""The table of rules, and what all kinds of them share."""


class Unknown(Exception):
    """There is no NumPy version of a primitive, or not for these parameters or dtypes."""


rules = {}  # name of a primitive -> its rule


def plain(function):
    """The rule of a primitive that is one function of its arrays, whatever its parameters."""
    return lambda params, in_avals, out_avals: function


def plain_unless(refuses, function):
    """As `plain`, but not known where `refuses(dtype of the first argument)`."""

    def rule(params, in_avals, out_avals):
        if refuses(in_avals[0].dtype):
            raise Unknown
        return function

    return rule


def is_integer(dtype):
    return dtype.kind in "iu"


class _Planner:
    make = None


def plans_are_made_by(make):
    """Tells rules of primitives that hold jaxprs how to compute these.

    Args:
      make: function of a jaxpr and its constants that gives a function of arrays, which returns a list of arrays.
    """
    _Planner.make = make


def function_of(jaxpr, consts):
    """A jaxpr as a function of arrays, which returns a list of arrays."""
    return _Planner.make(jaxpr, consts)
