"""`tf.compat.v1.layers`: layers as objects. Each calls the function of `_layers.py` with its own variables."""

import collections
import inspect
import weakref

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat.compat import _layers
from tfcompat.compat._scopes import get_default_graph, variable_scope

_numbers: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> how many layers of each kind it has


def _numbered(kind):
    counts = _numbers.setdefault(get_default_graph(), collections.Counter())
    counts[kind] += 1
    return f"{kind}_{counts[kind]}"


class _Layer:
    """Base of layers: a function of inputs, and the variables that it makes at the first call.

    TF: the classes of `tf.compat.v1.layers`. Names of scopes are those of the layer; one in use gets a number.
    """

    _function = staticmethod(_layers.flatten)
    _kind = ""
    _own: tuple = ()    # parameters of the constructor, in order
    _of_call: tuple = ()  # parameters of a call, beside the inputs

    def __init__(self, *args, **kwargs):
        self._reuse = kwargs.pop("_reuse", None)
        self._dtype, self._given = kwargs.pop("dtype", None), dict(zip(self._own, args, strict=False))
        if len(args) > len(self._own):
            raise TypeError(f"{type(self).__name__} takes {len(self._own)} arguments, got {len(args)}")
        for key, value in kwargs.items():
            if key not in self._own:
                raise TypeError(f"('Keyword argument not understood:', {key!r})")
            self._given[key] = value
        name = self._given.pop("name", None)
        self._base, self._name = name or self._kind, name or _numbered(self._kind)
        self.trainable = self._given.get("trainable", True)
        self.built, self._scope, self._names, self._made, self.updates = False, None, None, {}, []

    def __call__(self, inputs, *args, **kwargs):
        """What the layer makes of inputs."""
        kwargs.update(zip(self._of_call, args, strict=False))
        if self._scope is None:
            by_name = self._base if self._reuse else None
            with variable_scope(by_name, self._base, auxiliary_name_scope=False, reuse=self._reuse) as self._scope:
                pass
        in_graph = graphs.current()
        updates = len(in_graph.get_collection("update_ops")) if in_graph is not None else 0
        name_scope = self._names or self._scope.name.rpartition("/")[2]
        with variable_scope(self._scope, auxiliary_name_scope=False), tf.name_scope(name_scope) as self._names:
            with _layers.variables_of(self._made):
                result = self._function(inputs, **self._given, **kwargs)
        if in_graph is not None and not self.built:
            self.updates = in_graph.get_collection("update_ops")[updates:]
        self.built = True
        return result

    apply = __call__

    def __getattr__(self, name):
        made = self.__dict__.get("_made", {})
        if name in made:
            return made[name]
        if name in ("kernel", "bias", "gamma", "beta", "moving_mean", "moving_variance"):
            return None
        if name in self.__dict__.get("_given", {}):
            return self._given[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def name(self):
        """The name that was given, or that of the class with a number, which the scope of the variables has not."""
        return self._name

    @property
    def scope_name(self):
        """The whole name of that scope; ValueError before the first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._base}" has not been used yet.'
            )
        return self._scope.name

    @property
    def variables(self):
        """List of the variables, those that are trained first."""
        return [*self.trainable_variables, *self.non_trainable_variables]

    @property
    def trainable_variables(self):
        """List of the variables that are trained."""
        return [v for v in self._made.values() if v.trainable]

    @property
    def non_trainable_variables(self):
        """List of the others."""
        return [v for v in self._made.values() if not v.trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def count_params(self):
        """How many numbers the variables hold."""
        return sum(v.shape.num_elements() for v in self.variables)


def _layer(class_name, function, kind, of_call=(), first=()):
    names = [name for name in inspect.signature(function).parameters if name not in ("inputs", "reuse", *of_call)]
    own = (*first, *[name for name in names if name not in first])
    doc = f"`tf.compat.v1.layers.{function.__name__}` as an object. TF: `tf.compat.v1.layers.{class_name}`."
    return type(class_name, (_Layer,), {
        "__doc__": doc, "__module__": __name__, "_function": staticmethod(function), "_kind": kind, "_own": own,
        "_of_call": of_call,
    })  # fmt: skip


_OF_BATCHES = (
    "axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer "
    "moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint renorm "
    "renorm_clipping renorm_momentum fused trainable virtual_batch_size adjustment name"
).split()
LAYERS = {
    "Dense": _layer("Dense", _layers.dense, "dense"),
    "Flatten": _layer("Flatten", _layers.flatten, "flatten", first=("data_format", "name")),
    "Dropout": _layer("Dropout", _layers.dropout, "dropout", ("training",)),
    "BatchNormalization": _layer(
        "BatchNormalization", _layers.batch_normalization, "batch_normalization", ("training",), tuple(_OF_BATCHES)
    ),
}
for _class, _name in (
    ("Conv2DTranspose", "conv2d_transpose"), ("Conv3DTranspose", "conv3d_transpose"),
    ("SeparableConv1D", "separable_conv1d"), ("SeparableConv2D", "separable_conv2d"),
):  # fmt: skip
    LAYERS[_class] = _layer(_class, getattr(_layers, _name), _name)
for _rank in (1, 2, 3):
    LAYERS[f"Conv{_rank}D"] = _layer(f"Conv{_rank}D", getattr(_layers, f"conv{_rank}d"), f"conv{_rank}d")
    for _word in ("max", "average"):
        _name = f"{_word}_pooling{_rank}d"
        _class = f"{_word.title()}Pooling{_rank}D"
        LAYERS[_class] = _layer(_class, getattr(_layers, _name), _name)
