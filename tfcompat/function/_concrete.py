"""`ConcreteFunction`: a `tf.function` traced for one signature."""
from tfcompat import nest
from tfcompat._spec import TensorSpec
from tfcompat._tensor import Tensor


class ConcreteFunction:
    """A function traced for one signature; made by `tf.function.get_concrete_function`.

    With unknown sizes in the signature it is traced when it is called.
    TF: `tf.types.experimental.ConcreteFunction`.
    """

    def __init__(self, function, args, kwargs):
        self._function = function
        self._args, self._kwargs = function._with_defaults(args, kwargs)
        self._flat = nest.flatten((self._args, self._kwargs), expand_composites=True)
        specs = [x for x in self._flat if isinstance(x, Tensor | TensorSpec)]
        self._concrete = None
        if all(s.shape.is_fully_defined() for s in specs):
            self._concrete, _ = function._lookup(self._args, self._kwargs)

    @property
    def structured_outputs(self):
        """The result, with a TensorSpec for each tensor; None while sizes are unknown."""
        return None if self._concrete is None else self._concrete.specs()

    @property
    def structured_input_signature(self):
        """(args, kwargs) with a TensorSpec for each tensor."""
        return nest.map_structure(
            lambda x: TensorSpec(x.shape, x.dtype) if isinstance(x, Tensor) else x, (self._args, self._kwargs)
        )

    @property
    def name(self):
        """The name of the Python function."""
        return self._function.name

    @property
    def variables(self):
        """The variables that the function reads."""
        return tuple(self._concrete.variables) if self._concrete else ()

    @property
    def trainable_variables(self):
        """The trainable variables that the function reads."""
        return tuple(v for v in self.variables if v.trainable)

    def __call__(self, *args, **kwargs):
        is_tensor = [isinstance(x, Tensor | TensorSpec) for x in self._flat]
        given = nest.flatten((args, kwargs), expand_composites=True)
        if len(given) == sum(is_tensor):  # Python arguments were fixed when the function was traced
            tensors = iter(given)
            packed = [next(tensors) if t else x for x, t in zip(self._flat, is_tensor, strict=True)]
            args, kwargs = nest.pack_sequence_as((self._args, self._kwargs), packed, expand_composites=True)
        return self._function(*args, **kwargs)
