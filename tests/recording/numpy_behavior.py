"""What expressions give after `experimental_enable_numpy_behavior`."""

import json
from pathlib import Path

import numpy as np

PARTS = {"default": False, "prefer_float32": True}
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
    }


def expressions(text):
    """The expressions, one by one."""
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


def evaluated(tf, np, prefer_float32):
    """expression -> [dtype, values], or what else it gave, once NumPy's behavior is enabled."""
    tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32)
    names = operands(tf, np)
    results = {}
    for expression in expressions(OF_NUMBERS if prefer_float32 else EXPRESSIONS + OF_NUMBERS):
        try:
            results[expression] = eval(expression, names)
        except Exception as error:
            results[expression] = type(error).__name__
    return {expression: _described(value, tf, np) for expression, value in results.items()}


def _described(value, tf, np):
    if not isinstance(value, tf.Tensor):
        return int(value) if isinstance(value, np.integer) else value
    values = value.numpy()
    return [value.dtype.name, [str(x) for x in values.ravel()] if np.iscomplexobj(values) else values.tolist()]


def record(tf, options):
    parts = []
    for name, prefer_float32 in PARTS.items():
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in evaluated(tf, np, prefer_float32).items()]
        parts.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    GOLDEN.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def check(options):
    """Says which expressions have no recording."""
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    wanted = {"default": EXPRESSIONS + OF_NUMBERS, "prefer_float32": OF_NUMBERS}
    return [
        f"numpy_behavior: missing: {part}: {expression}"
        for part, text in wanted.items()
        for expression in expressions(text)
        if expression not in known.get(part, {})
    ]
