"""Writes `tfcompat/layers/_layer/uncalled_methods.py`: the methods in `golden/hooks.json` that tfcompat never calls.

    python tests/layers/render_hooks.py
"""

import ast
import json
import pathlib
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "hooks.json"
TABLE = ROOT / "tfcompat" / "layers" / "_layer" / "uncalled_methods.py"
# Keras calls the first for layers with `dynamic=True` only; the second is called on models, the third on optimizers.
_LEFT_OUT = {"compute_output_signature", "_set_save_spec", "_init_set_name"}
# Classes that are not here.
_CLASSES_LEFT_OUT = {"DenseFeatures"}
# What other classes call, and these do not.
_NOT_CALLED_BY = {
    "add_update": {"ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "GRU", "LSTM", "RNN", "SimpleRNN"},
    "get_input_at": {"Layer"},
    "get_output_at": {"Layer"},
}
_HEAD = '''"""Methods that Keras's layers call on themselves, and tfcompat never calls.

Made by tests/layers/render_hooks.py.
"""

# fmt: off
UNUSED = {
'''


def hooks():
    """{class: {method: class that defines it}} of tf_keras, as far as it matters here."""
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {
        name: {hook: owner for hook, owner in found.items() if hook not in _LEFT_OUT}
        for name, found in recorded.items()
        if name not in _CLASSES_LEFT_OUT
    }


def rendered():
    """The text of the table."""
    called, lines = _names_called(), []
    for name, found in hooks().items():
        absent = found.keys() - called | {hook for hook, classes in _NOT_CALLED_BY.items() if name in classes}
        unused = ", ".join(f'"{hook}"' for hook in sorted(absent))
        if unused:
            lines += [f'    "{name}": frozenset({{\n']
            lines += [f"        {line}\n" for line in textwrap.wrap(unused + ",", 110)]
            lines += ["    }),\n"]
    return _HEAD + "".join(lines) + "}\n"


def _names_called():
    """The names of what any code of the package takes from an object, other than from `super()`."""
    called = set()
    for path in (ROOT / "tfcompat").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and not _is_super(node.value):
                called.add(node.attr)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr" and len(node.args) > 1:
                called.add(getattr(node.args[1], "value", None))
    return called


def _is_super(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


if __name__ == "__main__":
    TABLE.write_text(rendered(), encoding="utf-8")
