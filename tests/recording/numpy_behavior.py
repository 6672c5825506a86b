"""What expressions give after `experimental_enable_numpy_behavior`."""

import json
from pathlib import Path

import numpy as np

PARTS = {
    "default": {}, "prefer_float32": {"prefer_float32": True}, "safe": {"dtype_conversion_mode": "safe"},
    "all": {"dtype_conversion_mode": "all"},
}  # fmt: skip
GOLDEN = Path(__file__).parents[1] / "golden" / "numpy_behavior.json"

EXPRESSIONS = """
i + f; f * d; i + 0.5; 0.5 + i; f + 1; 2 - f; h + 1; h + 300; l * f; f / i; i / 2; i // 2.5; i % 2.0; i ** 2; 2 ** i
f ** i; c * d; e + h; b + 1; b & i; i + b; i @ f.T; i @ d; d @ i.T; i < 2.5; i == f; i != d; f == [1, 2]; f + [1, 2, 3]
i + [0.5, 1.0, 2.0]; f + np.array([0.5, 1, 2]); f + np.float64(2); np.float64(2) + f; np.array([1, 2, 3]) * i
v + i; i + v; v * d; f * v; v == 1; b + b; tf.add(i, f)
i.ndim; i.size; f.ravel(); f.flatten('F'); f.reshape(3, 2); f.reshape((-1, 1)); f.reshape(3, 2, order='F')
f.reshape(i.shape); f.transpose([1, 0]); i.clip(2, 4); f.astype('int64'); f.astype(float); f.max(0, keepdims=True)
f.min(); i.mean(axis=0); f.data; f.tolist(); round(f); +f; f.sum(); v.T; v.reshape(3, 1)
f[:, [0, 2]]; f[[0, 1], [1, 2]]; f[b[:2]]; f[:, b]; f[i > 2]; f[np.array([1, 0])]; f[..., tf.constant([2, 0])]
f[None, [1]]; f[1, [0, 1]]; f[[[0, 1], [1, 0]]]; f[0.5]; f[[True, False]]; f[::-1, [1]]; f[[-1]]; f[5]; f[[5]]
taught(f, [0, 2, 0], d)
"""
# Python's numbers: what `prefer_float32` changes, and what it does not.
OF_NUMBERS = """
i + 0.5; h + 0.5; b + 1.5; e + 0.5; f + np.float64(2); np.float64(2) + f; i + np.float64(2); c * np.complex128(1)
c + 1.5; f + [0.5, 1, 2]; i + [0.5, 1, 2]; h + [0.5, 1, 2]; v * np.array([1.0, 2, 3]); l + 0.5; d + 1; i / 2; i ** 0.5
2.5 ** i; tnp.arange(3); tnp.arange(3.0); tnp.linspace(0, 1, 3); tnp.linspace(f[0], d, 2); tnp.logspace(0, 1, 2)
tnp.array([1.0, 2]); tnp.geomspace(1, 4, 3); tnp.array(np.array([1.0])); tnp.asarray(1.5); tnp.full(2, 1.5)
tnp.full_like(i, 2.5); tnp.ones(2); tnp.eye(2); tnp.floor(2.5); tnp.add(1, 2.5); tnp.add(h, 2.5); tnp.multiply(i, 1.5)
tnp.maximum(f, 1.5); tnp.array(1 + 2j); tnp.where(b, 1.0, 2); tnp.power(4, 0.5); tnp.meshgrid([1.0], [2.0])[0]
tnp.diag([1.0, 2]); tnp.mean(i); tnp.true_divide(i, 2)
"""
# What the modes "safe" and "all" change. `w` and `k` are weak.
OF_MODES = """
tf.constant(1); tf.constant([1.5, 2]); tf.constant(True); tf.constant('a'); tf.constant(1 + 2j); tf.constant([])
tf.constant(np.float32(1)); tf.constant(np.array([1])); str(w); w + k; i + 1; i + 1.5; h + 1; h + 300; f + d; i + f
f < d; -w; abs(w); w * f; w ** 2; i ** 2; 2 - f; np.float64(1) + f; np.array([1, 2, 3]) + f; np.array([1, 2, 3]) + i
tf.add(i, 1.5); tf.add(i, f); tf.maximum(i, f); tf.maximum(1, 2); tf.sqrt(4.0); tf.reduce_sum([1, 2, 3])
tf.reduce_mean([1, 2, 3]); tf.reduce_sum(w); tf.zeros_like(w); tf.reshape(w, [1]); tf.convert_to_tensor(1)
tf.convert_to_tensor(w); tf.cast(w, tf.float64); tf.cast(w, tf.float32); tf.cast(1, tf.float64); tf.identity(1)
tf.concat([[1], [2]], 0); tf.stack([w, w]); w[...]; tf.constant([1, 2])[0]; tf.where(True, w, f)
tf.matmul([[1.]], [[2]]); tf.equal(i, 1.5); tf.pow(i, 2.0); tf.divide(i, 2); i / 2; i // 2; h / 2; i % 2; i == 1.0
tf.subtract(i, f); tf.multiply(h, [1, 2, 3]); v + 1; v + i; v + d; v.assign(1); v.assign([1, 2, 3]); v.assign_add(d)
v.assign_add(i); v.assign_add([1, 1, 1]); v.assign_sub(1.0); tf.Variable(1); tf.Variable(w); tf.constant(w, tf.float64)
tf.constant(f, tf.float64); tf.constant(d, tf.float32); tf.constant(1.5, tf.int32); tf.nn.relu(w); tf.nn.silu(w)
tf.clip_by_value(w, 0, 1); b + 1; b * i; i & 1; i | h; ~k; w.to_tensor(); tf.range(3); tf.fill([2], 1); tf.ones([2])
tf.math.floordiv(i, 2.0); i + 2 ** 40; tf.constant(2 ** 40); w.tolist(); w.astype(np.int32); f.max(); f.mean(); i.mean()
round(w); k & 1; tf.gather([1, 2, 3], [0]); tf.transpose([[1, 2]]); tf.expand_dims(1, 0); tf.squeeze([1]); w.T
tf.tile([1], [2]); tnp.array([1, 2]); tnp.array(1.5); tnp.sum([1, 2]); tnp.arange(3); tnp.ones(2); tnp.sin(i)
tnp.linspace(0, 1, 2); tnp.mean(i); tnp.zeros(2); tnp.matmul([1., 2], [1, 2]); tnp.where(True, 1, 2.5); tnp.sin(1)
"""
_DTYPES = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128"


def promotions(tf):
    """{"dtype op": what it gives with each other dtype}: the table of promotion, by its use. `*` is weak."""
    operands = {name: tf.cast([1], name) for name in _DTYPES.split()}
    operands |= {"1": 1, "1.5": 1.5, "1j": 1j, "int32*": tf.constant([1]), "float32*": tf.constant([1.5])}
    operands |= {"complex128*": tf.constant([1j])}
    functions = {"+": lambda x, y: x + y, "multiply": tf.multiply, "equal": tf.equal}
    rows = {}
    for op, function in functions.items():
        for name, x in operands.items():
            cells = []
            for y in operands.values():
                try:
                    result = function(x, y)
                    is_weak = "weak=True" in repr(result)
                    cells.append(result.dtype.name + "*" * is_weak if tf.is_tensor(result) else type(result).__name__)
                except Exception as error:
                    cells.append(type(error).__name__)
            rows[f"{name} {op}"] = " ".join(cells)
    return rows


def operands(tf, np):
    """What the expressions are about."""

    def taught(f, key, d):
        with tf.GradientTape() as tape:
            tape.watch(f)
            y = (f[:, key] * 2.0).T.reshape(-1).max() + (f * d).mean() + f.clip(0, 1).astype(tf.float64)[[1]].mean()
        return tape.gradient(y, f)

    return {
        "tf": tf,
        "tnp": tf.experimental.numpy,
        "np": np,
        "taught": taught,
        "i": tf.constant([[1, 2, 3], [4, 5, 6]]),
        "f": tf.constant([[0.5, 1.5, -2.5], [3.0, 0.0, 1.0]]),
        "d": tf.constant([1.0, 2.0, 3.0], tf.float64),
        "v": tf.Variable([1.0, 2.0, 3.0]),
        "b": tf.constant([True, False, True]),
        "h": tf.constant([1, 2, 3], tf.int8),
        "e": tf.constant([1, 2, 3], tf.float16),
        "l": tf.constant([7, 8, 9], tf.int64),
        "c": tf.constant([1 + 2j, 0, 1j], tf.complex64),
        "w": tf.constant(1.5),
        "k": tf.constant(3),
    }


def expressions(text):
    """The expressions, one by one."""
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


TEXTS = {"default": EXPRESSIONS + OF_NUMBERS, "prefer_float32": OF_NUMBERS, "safe": OF_MODES, "all": OF_MODES}


def evaluated(tf, np, part):
    """expression -> [dtype, values], or what else it gave, once NumPy's behavior is enabled."""
    tf.experimental.numpy.experimental_enable_numpy_behavior(**PARTS[part])
    names = operands(tf, np)
    results = {}
    for expression in expressions(TEXTS[part]):
        try:
            results[expression] = eval(expression, names)
        except Exception as error:
            results[expression] = type(error).__name__
    results = {expression: _described(value, tf, np) for expression, value in results.items()}
    return results | (promotions(tf) if TEXTS[part] is OF_MODES else {})


def _described(value, tf, np):
    if not tf.is_tensor(value):
        return int(value) if isinstance(value, np.integer) else value
    values = value.numpy()
    weak = "*" if "weak=True" in repr(value) else ""
    if isinstance(values, bytes):
        return [value.dtype.name, str(values)]
    return [value.dtype.name + weak, [str(x) for x in values.ravel()] if np.iscomplexobj(values) else values.tolist()]


def record(tf, options):
    parts = []
    for name in PARTS:
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in evaluated(tf, np, name).items()]
        parts.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    GOLDEN.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def check(options):
    """Says which expressions have no recording."""
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [
        f"numpy_behavior: missing: {part}: {expression}"
        for part, text in TEXTS.items()
        for expression in expressions(text)
        if expression not in known.get(part, {})
    ]
