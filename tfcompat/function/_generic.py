"""Traces for unknown sizes: one for all shapes that a signature allows.

Unknown sizes are symbols while such a function is traced. Called with arrays, what was recorded is applied to their
sizes. Where the symbols do not do (a comparison of sizes, a reshape to what may not fit), the function is traced for
the sizes at hand instead.
"""

from tfcompat import engine
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.symbolic_sizes import new_symbols


def skeleton(arguments):
    """The key of arguments without the sizes of tensors."""
    return tuple(map(_without_sizes, arguments.key))


def _without_sizes(key):
    """A part of a key. The specs of values made of tensors hold the sizes of these."""
    if isinstance(key, engine.Aval):
        return key.dtype, len(key.shape)
    if isinstance(key, TensorShape):
        return key.rank
    if isinstance(key, TypeSpec):
        return type(key), _without_sizes(key._serialize())
    if type(key) is dict:
        return dict, tuple([(name, _without_sizes(part)) for name, part in key.items()])
    return tuple(map(_without_sizes, key)) if type(key) is tuple else key


def shapes_of(arguments):
    """The shape of each tensor, as a tuple of tuples."""
    return tuple([aval.shape for aval in arguments.avals])


def allowed(specs, arguments):
    """The shapes of specs with None for unknown sizes; None if no size is unknown, or a tensor has no spec."""
    if len(specs) != len(arguments.avals):
        return None
    shapes = [
        (None,) * len(aval.shape) if spec.shape.rank is None else tuple(spec.shape.as_list())
        for spec, aval in zip(specs, arguments.avals, strict=True)
    ]
    return tuple(shapes) if any(None in shape for shape in shapes) else None


def merged(calls):
    """The most specific shapes that allow those of all calls. Ranks are equal."""
    return tuple([
        tuple([sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*one, strict=True)])
        for one in zip(*calls, strict=True)
    ])  # fmt: skip


def common_specs(calls):
    """The most specific specs that allow the values made of tensors of all calls; None if there are none."""
    specs = [first.most_specific_common_supertype(others) for first, *others in zip(*calls, strict=True)]
    return None if None in specs else specs


def partitions(shapes, calls):
    """Assignments of symbols to unknown sizes, in the order to try them. Equal names stand for equal sizes.

    Args:
      shapes: with None for unknown sizes.
      calls: the shapes of tensors in some calls, the last of which is traced for; empty if there are none.
    """
    if not calls:
        ways = (lambda i, axis: f"{i} {axis}", lambda i, axis: f"{axis}")
    elif any(size == 0 for shape, sizes in zip(shapes, calls[-1], strict=True)
             for size, d in zip(sizes, shape, strict=True) if d is None):  # fmt: skip
        return  # symbols are never 0
    else:  # sizes that differ in one of the calls are equal by chance in the others
        sizes = [list(zip(*one, strict=True)) for one in zip(*calls, strict=True)]
        ways = (lambda i, axis: f"{axis} {sizes[i][axis]}", lambda i, axis: f"{sizes[i][axis]}")
    tried = set()
    for name in ways:
        names = [[name(i, k) if d is None else d for k, d in enumerate(shape)] for i, shape in enumerate(shapes)]
        numbers: dict = {}
        names = tuple(
            [tuple([d if type(d) is int else f"{numbers.setdefault(d, len(numbers))}" for d in s]) for s in names]
        )
        if names not in tried:
            tried.add(names)
            yield names


def all_differ(names):
    """Whether no two unknown sizes of an assignment are the same symbol."""
    unknown = [name for shape in names for name in shape if type(name) is not int]
    return len(unknown) == len(set(unknown))


class Generic:
    """One trace for unknown sizes.

    Args:
      of: skeleton of its arguments.
      shapes: of tensors, with None for unknown sizes.
      names: as from `partitions`.
      trace: function of the symbolic shapes to a ConcreteOperation.
    """

    def __init__(self, of, shapes, names, trace):
        self.skeleton, self.shapes, self.names = of, shapes, names
        self._symbolic = new_symbols(names)
        self.concrete = trace(self._symbolic)
        self.unknown = sum(shape.count(None) for shape in shapes)

    def accepts(self, of, arguments):
        """Whether it can be called with these arguments."""
        if self.skeleton != of or not self.concrete.in_scope():
            return False
        sizes: dict = {}
        for symbols, aval in zip(self._symbolic, arguments.avals, strict=True):
            for symbol, size in zip(symbols, aval.shape, strict=True):
                if type(symbol) is int:
                    if symbol != size:
                        return False
                elif size == 0 or sizes.setdefault(str(symbol), size) != size:
                    return False
        return self.concrete.fits(arguments.avals, arguments.variables, sizes)


def specs_for(arguments, shapes):
    """A TensorSpec for each tensor, with unknown sizes."""
    return [
        TensorSpec(list(shape), spec.dtype) for spec, shape in zip(arguments.specs(), shapes, strict=True)
    ]
