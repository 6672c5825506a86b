"""Names, signatures, coverage by cases, and what importing does."""

import csv
import importlib
import inspect
import json
import pathlib
import subprocess
import sys
from types import ModuleType

import pytest
from cases import _golden
from recording import signatures

import tfcompat as tf
from tfcompat._core import op as _op
from tfcompat._package.missing import is_in_tensorflow

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "signatures.json").read_text(encoding="utf-8"))
NAMES_IN_V1 = json.loads((GOLDEN / "names_in_v1.json").read_text(encoding="utf-8"))
OURS = signatures.signatures(tf)

with (GOLDEN / "api_tiers.tsv").open(encoding="utf-8") as table:
    TIERS = list(csv.DictReader(table, delimiter="\t"))

# Tier B is complete in these namespaces; elsewhere it grows.
COMPLETE = {"tf", "tf.math", "tf.nn", "tf.linalg", "tf.random"}

# Public names of ours that TensorFlow lacks, each with its reason.
ADDITIONS = {
    "tf.autodiff.per_example_gradients": "an extension; tapes have others (hessian, hvp...)",
    "tf.config.get_execution": "tells deferred from immediate execution",
    "tf.config.set_execution": "deferred or immediate execution",
    "tf.dtypes.from_numpy": "the DType of an np.dtype",
    "tf.distribute.shard": "variables spread over a mesh of devices",
    "tf.engine": "counters and execution modes",
    "tf.errors.exception_type_from_error_code": "tf.compat.v1.errors has it",
    "tf.extend": "for people who write ops of their own; imported when it is asked for",
    "tf.from_jax": "JAX functions as operations",
    "tf.install": "makes `import tensorflow` mean tfcompat",
    "tf.load_arrays": "arrays of files of common formats",
    "tf.load_ipython_extension": "the hook of %load_ext",
    "tf.nest.flatten_with_paths": "tf.Module names its variables by it",
    "tf.save_arrays": "the same, written",
    "tf.to_jax": "TF-style functions as pure JAX functions",
    "tf.uninstall": "undoes tf.install",
    "tf.unload_ipython_extension": "the hook of %unload_ext",
    "tf.version.TFCOMPAT_VERSION": "the version of this package; the others are of the TensorFlow it follows",
}

ADDITIONS |= {f"tf.dtypes.{name}": "tf.dtypes.experimental has it" for name in vars(tf.dtypes.experimental)}

# Only TensorFlow itself calls these constructors.
NOT_FOR_USERS = {"tf.Tensor", "tf.DType", "tf.dtypes.DType", "tf.data.Dataset"}

# Messages: Python cannot tell the keywords of TensorFlow's constructors.
NOT_FOR_USERS |= {
    f"tf.train.{name}" for name in "BytesList FloatList Int64List Feature Features FeatureList FeatureLists Example "
    "SequenceExample".split()
}  # fmt: skip


def _get(symbol):
    """The object of a dotted name; methods of `tf.Tensor` are those of an eager tensor."""
    target = tf
    for part in symbol.split(".")[1:]:
        target = getattr(target, part)
        if target is tf.Tensor:
            target = type(tf.constant(0))
    return target


def _resolves(symbol):
    try:
        _get(symbol)
    except AttributeError:
        return False
    return True


def _required():
    return [
        row
        for row in TIERS
        if row["tier"] == "A" or (row["tier"] == "B" and row["symbol"].rpartition(".")[0] in COMPLETE)
    ]


@pytest.mark.parametrize("row", _required(), ids=lambda row: row["symbol"])
def test_symbol_in_use_resolves(row):
    assert any(map(_resolves, [row["symbol"], *row["aliases"].split()]))


@pytest.mark.parametrize("row", _required(), ids=lambda row: row["symbol"])
def test_aliases_of_symbol_in_use_resolve(row):
    names = [name for name in row["aliases"].split() if name in RECORDED]
    assert not [name for name in names if not _resolves(name)]


@pytest.mark.parametrize("symbol", sorted(s for s in OURS if isinstance(OURS[s], str) and s in RECORDED))
def test_signature_is_that_of_tensorflow(symbol):
    if symbol not in NOT_FOR_USERS:
        # Where one side has a class and the other a function, a caller sees no difference.
        assert OURS[symbol].replace("(self, ", "(") == RECORDED[symbol].replace("(self, ", "(")


def _namespaces():
    """Dict from dotted names to the modules of this package that `dir` reaches from `tf`, each under one name."""
    modules, queue = {}, [("tf", tf)]
    while queue:
        name, module = queue.pop(0)
        if name in ADDITIONS or any(module is known for known in modules.values()):
            continue  # what an added module holds is documented in the module
        modules[name] = module
        for child in _public(module):
            value = getattr(module, child)
            if isinstance(value, ModuleType | tf.compat.v1._Part) and value.__name__.startswith(("tfcompat.", "tf.")):
                queue.append((f"{name}.{child}", value))
    return modules


def _public(module):
    return [name for name in dir(module) if not name.startswith("_")]


NAMESPACES = _namespaces()


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_no_stray_public_names(namespace):
    """`dir` gives TensorFlow's names and our documented additions: no imports, no folders."""
    names = _public(NAMESPACES[namespace])
    in_v1 = NAMES_IN_V1.get(namespace, ())
    known = [n for n in names if n in in_v1 or is_in_tensorflow(namespace, n) or f"{namespace}.{n}" in ADDITIONS]
    assert names == known


def test_every_addition_is_there():
    importlib.import_module("tfcompat.extend")
    assert all(map(_resolves, ADDITIONS))


COVERED = {case.symbol for module in _golden.modules() for case in _golden.cases_of(module).values()}

# Namespaces whose functions all have cases, but for these, which are tested elsewhere.
WITH_CASES = (
    *("tf", "tf.math", "tf.nn", "tf.linalg", "tf.image", "tf.bitwise", "tf.signal", "tf.sparse", "tf.ragged"),
    *("tf.strings", "tf.sets"),
)
TESTED_ELSEWHERE = set(
    """
    decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg encode_png
    extract_jpeg_shape is_jpeg
    Assert assert_equal assert_greater assert_less assert_rank case cond constant_initializer import_graph_def
    control_dependencies custom_gradient device executing_eagerly foldl foldr from_jax
    function get_logger grad_pass_through gradients init_scope inside_function install is_symbolic_tensor
    load_arrays load_ipython_extension load_op_library make_ndarray make_tensor_proto map_fn name_scope no_gradient
    numpy_function print py_function recompute_grad register_tensor_conversion_function save_arrays scan stop_gradient
    switch_case to_jax type_spec_from_value uninstall unload_ipython_extension vectorized_map while_loop
    """.split()
)


def test_every_op_has_a_case():
    """Private ops stand behind public functions, which the next test looks at."""
    public = {name: function for name, function in _op.OPS.items() if name.startswith("tf.")}
    functions = {id(public[name]) for name in COVERED if name in public}
    assert not sorted(name for name, function in public.items() if id(function) not in functions)


def test_every_public_function_has_a_case():
    functions = {id(_get(symbol)) for symbol in COVERED if _resolves(symbol)}
    missing = []
    for symbol in OURS:
        namespace, _, name = symbol.rpartition(".")
        function = _get(symbol)
        if namespace in WITH_CASES and name not in TESTED_ELSEWHERE and inspect.isfunction(function):
            missing += [symbol] if id(function) not in functions else []
    assert not missing


def test_every_name_of_an_op_resolves_to_it():
    public = {name: function for name, function in _op.OPS.items() if name.startswith("tf.")}
    wrong = [name for name, function in public.items() if not _resolves(name) or _get(name) is not function]
    assert not wrong


IMPORT = """
import sys, jax
before = dict(jax.config.values)
import tfcompat as tf
changed = {key for key, value in jax.config.values.items() if before.get(key) != value}
assert not changed, changed
loaded = [name for name in sys.modules if name.split(".")[0] in ("tensorflow", "keras", "tf_keras", "torch")]
assert not loaded, loaded
tf.constant([1.0]).numpy()
assert not jax.config.jax_enable_x64
assert all([tf.losses.MeanSquaredError, tf.metrics.Mean, tf.optimizers.SGD]), "though nobody looked at tf.keras"
"""


def test_import_loads_no_tensorflow_and_changes_no_jax_setting():
    subprocess.run([sys.executable, "-W", "error", "-c", IMPORT], check=True, timeout=120)


COLLECTOR = """
import gc
gc.{state}()
before = gc.isenabled(), gc.get_threshold(), gc.get_debug()
import jax, weakref
after_jax = list(gc.callbacks)  # JAX notes collections there

class Object:
    pass

garbage = Object()
garbage.itself, seen = garbage, weakref.ref(garbage)
del garbage
import tfcompat
assert (gc.isenabled(), gc.get_threshold(), gc.get_debug()) == before
assert gc.callbacks == after_jax
assert (gc.get_freeze_count() > 100_000) == gc.isenabled(), "what is imported is permanent"
assert (seen() is None) == gc.isenabled(), "garbage is not"
"""


@pytest.mark.parametrize("state", ["enable", "disable"])
def test_import_keeps_the_garbage_collector_away_from_what_is_imported(state):
    subprocess.run([sys.executable, "-c", COLLECTOR.format(state=state)], check=True, timeout=120)


READS_NO_TABLE = """
import sys, tfcompat as tf
assert not hasattr(tf, "nothing")
assert not sys.modules["tfcompat._package.missing"].tensorflow_names.cache_info().currsize
"""


def test_names_of_tensorflow_are_not_read_without_need():
    subprocess.run([sys.executable, "-c", READS_NO_TABLE], check=True, timeout=120)


def test_import_of_everything_brings_the_names_of_tensorflow():
    def brought(module):
        names = {}
        exec(f"from {module} import *", names)
        return names.keys() - {"__builtins__"}

    top = brought("tfcompat")
    assert {"keras", "data", "compat", "raw_ops", "test", "GradientTape", "reduce_sum", "__version__"} <= top
    assert not {"array", "callbacks", "engine", "layers", "training", "install", "to_jax"} & top
    assert {"applications", "layers", "Model"} <= brought("tfcompat.keras")
    layers = brought("tfcompat.keras.layers")
    assert {"Dense", "experimental"} <= layers and not {"activations", "np", "regularizers"} & layers
    assert {"abs", "epsilon", "in_train_phase"} <= brought("tfcompat.keras.backend")
    assert {"ResNet50", "vgg16"} <= brought("tfcompat.keras.applications")
    assert {"placeholder", "Session", "train", "abs"} <= brought("tfcompat.compat.v1")
