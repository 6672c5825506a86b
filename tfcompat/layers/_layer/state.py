"""The objects in a model whose variables are saved, by the paths that Keras gives them in files."""

from typing import Any

from tfcompat.layers._layer import context as _context

# Attributes that lead to objects reached by others, or that are no part of the state.
_PASSED_OVER = frozenset(
    """
    loss compiled_loss compiled_metrics _compiled_trainable_state _compile_config _dependencies _steps_per_execution
    train_function test_function predict_function _step_counters _training_state _eager_losses_of_thread
    _symbolic_losses _plain_arguments _untraced history callbacks
    """.split()
)


class Stored:
    """The part of `Layer` that puts its variables into files, for subclasses to override."""

    name: str
    _trainable_weights: list
    _non_trainable_weights: list
    _update_trackables: Any

    def save_own_variables(self, store):
        """Puts the values of the layer's own variables, not those of layers inside, into a dict of arrays.

        TF: `tf.keras.layers.Layer.save_own_variables`.
        """
        for number, variable in enumerate(self._trainable_weights + self._non_trainable_weights):
            store[str(number)] = variable.numpy()

    def load_own_variables(self, store):
        """Sets the layer's own variables to what `save_own_variables` put into `store`.

        Raises:
          ValueError: another number of variables, or another shape.

        TF: `tf.keras.layers.Layer.load_own_variables`.
        """
        self._update_trackables()
        variables = self._trainable_weights + self._non_trainable_weights
        if len(store.keys()) != len(variables):
            raise ValueError(
                f"Layer '{self.name}' expected {len(variables)} variables, but received {len(store.keys())} variables "
                f"during loading. Expected: {[variable.name for variable in variables]}"
            )
        for number, variable in enumerate(variables):
            assign_checked(variable, store[str(number)])


def assign_checked(variable, stored):
    """Sets a variable to a stored array; ValueError if its shape is another."""
    if not variable.shape.is_compatible_with(stored.shape):
        raise ValueError(
            f"Cannot assign value to variable '{variable.name}': Shape mismatch. The variable shape "
            f"{tuple(variable.shape)}, and the assigned value shape {tuple(stored.shape)} are incompatible."
        )
    variable.assign(stored[()])


def parts_of(root):
    """List of (path, object) of all objects with state in `root`, itself first.

    The order is that of Keras: attributes by name from the last to the first, what is in a container numbered by class.
    """
    found, seen = [], set()

    def visit(part, path):
        if id(part) in seen:
            return
        seen.add(id(part))
        if hasattr(part, "save_own_variables"):
            found.append((path, part))
        for name in sorted(_attributes(part), reverse=True):
            try:
                child = getattr(part, name)
            except Exception:  # a property of the user's that has no value yet
                continue
            inner = f"{path}/{name}" if path else name
            if _has_state(child):
                visit(child, inner)
            elif isinstance(child, list | tuple | dict | set):
                visit_container(child, inner)

    def visit_container(container, path):
        counts = {}
        for part in container.values() if isinstance(container, dict) else container:
            if not _has_state(part) or id(part) in seen:
                continue
            name = _context.snake_case(type(part).__name__)
            count = counts[name] = counts.get(name, -1) + 1
            visit(part, f"{path}/{name}_{count}" if count else f"{path}/{name}")

    visit(root, "")
    return found


def _attributes(part):
    from tfcompat.train._objects import _PRIVATE

    names = {name for name in vars(part) if name not in _PASSED_OVER and name not in _PRIVATE}
    for cls in type(part).__mro__:
        if not cls.__module__.startswith("tfcompat."):
            names.update(name for name, value in vars(cls).items() if isinstance(value, property))
    if hasattr(part, "_flatten_layers"):
        names.add("metrics")
        if hasattr(type(part), "layers"):
            names.add("layers")
    return {name for name in names if not name.startswith("__")}


def _has_state(value):
    from tfcompat.keras.metrics._base import Metric
    from tfcompat.keras.optimizers._base import Optimizer
    from tfcompat.layers._layer.layer import Layer

    return isinstance(value, Layer | Optimizer | Metric)
