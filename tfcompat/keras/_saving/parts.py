"""The objects in a model whose variables are saved, by the paths that Keras gives them in files."""

from tfcompat.keras.metrics._base import Metric
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer.layer import Layer

# Attributes that lead to objects reached by others, or that are no part of the state.
_PASSED_OVER = frozenset(
    """
    loss compiled_loss compiled_metrics _compiled_trainable_state _compile_config _dependencies _steps_per_execution
    train_function test_function predict_function _step_counters _training_state _eager_losses_of_thread
    _symbolic_losses _plain_arguments _untraced history callbacks _strategy _compiled_strategy
    """.split()
)


def parts_of(root):
    """List of (path, object) of all objects with state in `root`, itself first.

    The order is that of Keras: attributes by name from the last to the first, what is in a container numbered by class.
    """
    parts, seen = [], set()

    def visit(part, path):
        if id(part) in seen:
            return
        seen.add(id(part))
        if hasattr(part, "save_own_variables"):
            parts.append((path, part))
        # From the last to the first, which decides the path of what several attributes hold.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/saving/saving_lib.py
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
            name = _naming.snake_case(type(part).__name__)
            count = counts[name] = counts.get(name, -1) + 1
            visit(part, f"{path}/{name}_{count}" if count else f"{path}/{name}")

    visit(root, "")
    return parts


def _attributes(part):
    names = {name for name in vars(part) if name not in _PASSED_OVER and name not in part._unsaved_attributes}
    for cls in type(part).__mro__:
        if not cls.__module__.startswith("tfcompat."):
            names.update(name for name, value in vars(cls).items() if isinstance(value, property))
    if hasattr(part, "_flatten_layers"):
        names.add("metrics")
        if hasattr(type(part), "layers"):
            names = names - {"inputs", "outputs"} | {"layers"}
    return {name for name in names if not name.startswith("__")}


def _has_state(value):
    return isinstance(value, Layer | Optimizer | Metric)
