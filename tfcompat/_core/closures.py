"""Functions that keep what they see of their surroundings, whatever is assigned there later."""

import types


def as_it_is(function, copies=None):
    """A copy of a Python function that sees the variables around it as they are now; anything else itself.

    Args:
      function: and the functions that it sees are copied, too.
      copies: dict of the copies that have been made, by the `id` of the function.
    """
    if type(function) is not types.FunctionType or not function.__closure__:
        return function
    copies = {} if copies is None else copies
    if id(function) in copies:
        return copies[id(function)]
    cells = tuple(types.CellType() for _ in function.__closure__)
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )  # fmt: skip
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__dict__.update(function.__dict__)
    copies[id(function)] = copy
    for cell, kept in zip(function.__closure__, cells, strict=True):
        try:
            kept.cell_contents = as_it_is(cell.cell_contents, copies)
        except ValueError:
            pass  # nothing has been assigned to it
    return copy
