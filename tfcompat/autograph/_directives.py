"""How a program steers the conversion."""

import enum

from tfcompat._tracing.status import unconverted as _unconverted

_UNSPECIFIED = object()


class Feature(enum.Enum):
    """Optional parts of the conversion, for `tf.function(experimental_autograph_options=...)`.

    ASSERT_STATEMENTS: `assert` of a tensor becomes `tf.Assert`. BUILTIN_FUNCTIONS: `print` of tensors prints when the
    function runs. EQUALITY_OPERATORS: `==` of tensors is `tf.equal`, as it is anyway. NAME_SCOPES and
    AUTO_CONTROL_DEPS: without effect here. ALL: all of these. LISTS is refused: lists of tensors stay Python's.

    TF: `tf.autograph.experimental.Feature`.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls):
        """A tuple of all features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude):
        """A tuple of all features but ALL and those in `exclude`, a feature or a list of them."""
        excluded = exclude if isinstance(exclude, list | tuple | set) else [exclude]
        return tuple(feature for feature in cls if feature is not cls.ALL and feature not in excluded)


def do_not_convert(func=None):
    """Decorator for a function whose Python code runs as it is, as does what it calls.

    Args:
      func: the function; without it, a decorator is returned.

    TF: `tf.autograph.experimental.do_not_convert`.
    """
    return do_not_convert if func is None else _unconverted(func)


def set_loop_options(parallel_iterations=_UNSPECIFIED, swap_memory=_UNSPECIFIED, maximum_iterations=_UNSPECIFIED,
                     shape_invariants=_UNSPECIFIED):  # fmt: skip
    """Options of the loop whose body begins with this call. A loop of Python's ignores them.

    Args:
      parallel_iterations, swap_memory: without effect on values.
      maximum_iterations: bound on the number of turns.
      shape_invariants: list of (tensor, shape) for loop variables whose shape changes, see `tf.while_loop`.

    TF: `tf.autograph.experimental.set_loop_options`.
    """
