"""Public names and signatures of a module that plays `tf`: recorded from TensorFlow, compared by tests."""

import inspect
import json

from rows import GOLDEN

MODULES = """
    tf tf.math tf.nn tf.linalg tf.random tf.image tf.bitwise tf.autodiff tf.nest tf.dtypes tf.debugging
    tf.errors tf.saved_model tf.signal tf.strings tf.sets tf.sparse tf.ragged tf.config tf.quantization
    tf.data tf.train tf.io tf.audio tf.sysconfig tf.test tf.lookup tf.autograph tf.experimental
    tf.random.experimental tf.math.special tf.linalg.experimental
    tf.keras tf.keras.layers tf.keras.models tf.keras.initializers
    tf.keras.activations tf.keras.losses tf.keras.metrics tf.keras.optimizers tf.keras.regularizers
    tf.keras.constraints tf.keras.callbacks tf.keras.utils tf.keras.backend
""".split()

# Classes whose public methods are recorded as well as the constructor.
WITH_METHODS = """
    tf.GradientTape tf.Variable tf.Tensor tf.Module tf.TensorShape tf.TensorSpec tf.DType
    tf.IndexedSlices tf.TensorArray tf.autodiff.ForwardAccumulator tf.random.Generator
    tf.keras.layers.Layer tf.keras.Model tf.keras.Sequential
""".split()


def signatures(tf):
    """Dict from dotted name to what it is.

    A module gives the sorted list of its public names; a function, class or method its signature as text,
    without annotations.
    """
    found = {}
    for module in MODULES:
        owner = _resolve(tf, module)
        if owner is None:
            continue
        names = sorted(name for name in dir(owner) if not name.startswith("_"))
        found[module] = names
        for name in names:
            symbol, value = f"{module}.{name}", getattr(owner, name, None)
            if inspect.isclass(value):
                found[symbol] = signature(value.__init__)
                if symbol in WITH_METHODS:
                    # A user's tensors and variables are of private classes beneath the public ones.
                    example = {"tf.Tensor": tf.constant, "tf.Variable": tf.Variable}.get(symbol)
                    value = type(example(0)) if example else value
                    for method in dir(value):
                        if not method.startswith("_") and callable(getattr(value, method, None)):
                            found[f"{symbol}.{method}"] = signature(getattr(value, method))
            elif callable(value):
                found[symbol] = signature(value)
    return {symbol: value for symbol, value in found.items() if value is not None}


OPS = """
    tf tf.math tf.math.special tf.linalg tf.linalg.experimental tf.nn tf.nn.experimental tf.random
    tf.random.experimental tf.image tf.signal tf.bitwise tf.debugging tf.dtypes tf.dtypes.experimental tf.nest
    tf.autodiff tf.errors tf.sparse tf.ragged tf.strings tf.sets tf.lookup tf.lookup.experimental tf.quantization
    tf.experimental.numpy tf.experimental.numpy.random tf.raw_ops
""".split()


def public_names(tf):
    """Dict from each namespace of ops to the names it has, submodules left out."""
    found = {}
    for module in OPS:
        owner = _resolve(tf, module)
        names = [name for name in dir(owner) if not name.startswith("_")]
        found[module] = sorted(name for name in names if not inspect.ismodule(getattr(owner, name)))
    return found


class _Default:
    """A default value that prints as the same text in every process."""

    def __init__(self, value):
        text = repr(value)
        self.text = text if " at 0x" not in text else f"<{type(value).__name__}>"
        # The public tf.VariableAggregation has two classes in TensorFlow.
        self.text = self.text.replace("VariableAggregationV2.", "VariableAggregation.")

    def __repr__(self):
        return self.text


def signature(function):
    """Text of a callable's signature, `(x, axis=None, *, name=None)`; None if Python cannot tell."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    bare = []
    for parameter in found.parameters.values():
        default = parameter.default if parameter.default is parameter.empty else _Default(parameter.default)
        bare.append(parameter.replace(annotation=parameter.empty, default=default))
    return str(inspect.Signature(bare))


def _resolve(tf, dotted):
    target = tf
    for part in dotted.split(".")[1:]:
        target = getattr(target, part, None)
    return target


def record(tf, options):
    """Writes golden/signatures.json, and the names of the namespaces of ops in golden/public_names.json."""
    _write("signatures", sorted(signatures(tf).items()))
    _write("public_names", public_names(tf).items())


def _write(name, entries):
    lines = [f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries]
    (GOLDEN / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
