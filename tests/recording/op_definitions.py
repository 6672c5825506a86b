"""Facts about TensorFlow's ops, tfcompat/raw_ops/definitions.txt: their names, arguments, attributes and results."""

import ast
import inspect
import json
from pathlib import Path

FILE = Path(__file__).parents[2] / "tfcompat" / "raw_ops" / "definitions.txt"


def record(tf, options):
    """Writes the file."""
    parameters = _parameters_by_op(Path(tf.__file__).parent)
    lines = [_line(tf, op, parameters.get(op.name, {})) for op in _definitions()]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _definitions():
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session

    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return sorted((op for op in ops.op if not op.name.startswith("_")), key=lambda op: op.name)


def _parameters_by_op(folder):
    """For each op what its Python function calls its arguments."""
    result = {}
    for path in folder.glob("python/**/gen_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "_apply_op_helper":
                if node.args and isinstance(node.args[0], ast.Constant):
                    named = {k.arg: k.value.id for k in node.keywords if isinstance(k.value, ast.Name)}
                    result.setdefault(node.args[0].value, {}).update(named)
    return result


def _line(tf, op, named):
    def name(x, inferred=()):
        other = named.get(x.name, x.name)
        return x.name if other == x.name or x.name in inferred else f"{x.name}@{other}"

    inferred = {x for a in op.input_arg for x in (a.type_attr, a.number_attr, a.type_list_attr)}
    inputs = " ".join(f"{name(a)}:{_type(tf, a)}" for a in op.input_arg)
    attributes = " ".join(name(a, inferred) + _kind(tf, a) for a in op.attr)
    results = " ".join(f"{a.name}:{_type(tf, a)}" for a in op.output_arg)
    removed = f"^{op.deprecation.version}" if op.HasField("deprecation") else ""
    from tensorflow.python.framework import kernels

    devices = {kernel.device_type for kernel in kernels.get_registered_kernels_for_op(op.name).kernel}
    nowhere = "" if devices & {"CPU", "DEFAULT"} else "~"
    parts = [op.name + removed + nowhere + "!" * op.is_stateful, inputs, attributes, results]
    function = getattr(tf.raw_ops, op.name, None)
    if function is None:
        return "|".join([*parts, "-"])
    order = [p for p in inspect.signature(function).parameters if p != "name"]
    natural = [named.get(a.name, a.name) for a in op.input_arg]
    natural += [named.get(a.name, a.name) for a in op.attr if a.name not in inferred]
    assert sorted(order) == sorted(natural), op.name
    return "|".join(parts if order == natural else [*parts, " ".join(order)])


def _type(tf, arg):
    dtype = arg.type_attr or (tf.as_dtype(arg.type).name if arg.type else "")
    kind = f"*{arg.type_list_attr}" if arg.type_list_attr else dtype
    return "&" * arg.is_ref + (f"{arg.number_attr}*{kind}" if arg.number_attr else kind)


def _kind(tf, attribute):
    kind = attribute.type.replace("list(", "").replace(")", "*" if "list" in attribute.type else "")
    kind += _allowed(tf, attribute)
    if not attribute.HasField("default_value"):
        return f":{kind}"
    return f":{kind}={_default(tf, attribute.default_value)}"


def _allowed(tf, attribute):
    """What an attribute may be, in braces: letters of kinds of dtypes and dtypes, or texts; or the least number."""
    if attribute.has_minimum:
        return f">{attribute.minimum}"
    texts = [text.decode() for text in attribute.allowed_values.list.s]
    found = {tf.as_dtype(each) for each in attribute.allowed_values.list.type}
    letters = ""
    for letter, kind in _KINDS.items():
        names = kind.split()
        if found.issuperset(tf.as_dtype(name) for name in names):
            letters += letter
            found = {each for each in found if _letter(each) != letter}
    if found == {tf.int32, tf.int64}:
        letters, found = letters + "x", set()
    parts = [letters] * bool(letters) + sorted(each.name for each in found) + texts
    return "{" + ",".join(parts) + "}" if parts else ""


_KINDS = {
    "b": "bool", "c": "complex64 complex128", "f": "float16 bfloat16 float32 float64",
    "i": "int8 int16 int32 int64 uint8 uint16 uint32 uint64", "r": "resource", "s": "string", "v": "variant",
}  # fmt: skip


def _letter(dtype):
    if dtype.is_floating or dtype.is_complex:
        return "f" if dtype.is_floating else "c"
    return {"bool": "b", "string": "s", "resource": "r", "variant": "v"}.get(dtype.name, "i")


def _default(tf, value):
    which = value.WhichOneof("value")
    if which == "list":
        items = [(name, item) for name in ("s", "i", "f", "b", "type") for item in getattr(value.list, name)]
        return "[" + ",".join(_scalar(tf, *item) for item in items) + "]"
    if which == "shape":
        return "?" if value.shape.unknown_rank else str([d.size for d in value.shape.dim]).replace(" ", "")
    return "~" if which in ("tensor", None) else _scalar(tf, which, getattr(value, which))


def _scalar(tf, which, value):
    if which == "s":
        return json.dumps(value.decode("latin1")).replace(" ", "\\u0020").replace("|", "\\u007c")
    if which == "type":
        return tf.as_dtype(value).name
    return json.dumps(float(f"{value:.9g}") if which == "f" else value)
