"""`XlaCallModule`: StableHLO programs in TensorFlow's graphs. They are run on request only."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

import tfcompat as tf
from tfcompat.raw_ops import _stablehlo
from tfcompat.raw_ops._registry import OPS
from tfcompat.saved_model._graph_load import load_graph

from .both_ways import TOLERANCE, difference
from .models import MODELS


@pytest.mark.parametrize("name", ["sorted_slopes", "random_numbers"])
def test_programs_of_a_model_run_with_their_gradients(name, tmp_path):
    row = MODELS[name]
    module = row.make(tf)
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    loaded = load_graph(str(tmp_path), stablehlo=True)
    for batch in row.batches:
        off, why = difference(row.results(tf, loaded.f, batch), row.results(tf, module.f, batch))
        assert off <= TOLERANCE, why


def test_programs_are_refused_unless_asked_for(tmp_path, monkeypatch):
    module = MODELS["sorted_slopes"].make(tf)
    tf.saved_model.save(module, str(tmp_path))
    (tmp_path / "manifest.json").unlink()  # what is left is as TensorFlow would have saved it
    x = tf.ones([2, 3])
    options = tf.saved_model.LoadOptions()
    assert options.run_stablehlo is False
    options.run_stablehlo = True
    np.testing.assert_allclose(tf.saved_model.load(str(tmp_path), options=options).f(x), module.f(x), rtol=1e-6)
    monkeypatch.setattr(_stablehlo, "_program", None)  # which nothing may call from here on
    with pytest.warns(UserWarning, match="XlaCallModule .refused: .*`run_stablehlo` of tf.saved_model.LoadOptions"):
        loaded = tf.saved_model.load(str(tmp_path))
    with pytest.raises(tf.errors.UnimplementedError, match="which is not run: .* can crash this process"):
        loaded.f(x)


def _exported(function, *shapes, **options):
    return jax.export.export(jax.jit(function), **options)(*[jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes])


def _call(exported, *arguments, **others):
    settings = {"version": exported.calling_convention_version, "module": exported.mlir_module_serialized, "Sout": [],
                "Tout": [], "platforms": [name.upper() for name in exported.platforms]}  # fmt: skip
    return OPS["XlaCallModule"](args=arguments, **settings | others)


def test_sizes_that_are_not_known_when_it_is_exported():
    (batch,) = jax.export.symbolic_shape("b")
    exported = _exported(lambda x: (jnp.tanh(x).sum(0), jnp.concatenate([x, x])), (batch, 3), platforms=("cpu", "cuda"))
    for count in (1, 4):
        total, twice = _call(exported, tf.ones([count, 3]))
        np.testing.assert_allclose(total, np.tanh(np.ones(3)) * count, rtol=1e-6)
        assert twice.shape == [2 * count, 3]
    function = tf.function(lambda x: _call(exported, x)[1])
    assert function(tf.ones([2, 3])).shape == [4, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="XlaCallModule"):
        _call(exported, tf.ones([2, 4]))


def test_bad_programs_are_refused():
    exported, x = _exported(lambda x: x + 1.0, (2,)), tf.ones([2])
    data = exported.mlir_module_serialized
    for damaged in (b"", b"ML\xefR", data[: len(data) // 2], b"\0" * 100):
        with pytest.raises(tf.errors.InvalidArgumentError, match="XlaCallModule"):
            _call(exported, x, module=damaged)
    with pytest.raises(tf.errors.UnimplementedError, match="version 5 is not available"):
        _call(exported, x, version=5)
    with pytest.raises(tf.errors.UnimplementedError, match="has_token_input_output=True is not available"):
        _call(exported, x, has_token_input_output=True)



CALLS_PYTHON = """
func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def test_programs_that_call_python_are_refused():
    with mlir.make_ir_context():
        module = ir.Module.parse(CALLS_PYTHON)
        data = stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version())
    exported = _exported(lambda x: x + 1.0, (2,))
    with pytest.raises(tf.errors.UnimplementedError, match="'xla_ffi_python_cpu_callback', which is not run"):
        _call(exported, tf.ones([2]), module=data)


@pytest.mark.filterwarnings("ignore:tf.saved_model.load")
def test_damaged_files_never_reach_the_parser(tmp_path, monkeypatch):
    tf.saved_model.save(MODELS["sorted_slopes"].make(tf), str(tmp_path))
    (tmp_path / "manifest.json").unlink()
    path, choice = tmp_path / "saved_model.pb", random.Random(1)
    data = path.read_bytes()
    monkeypatch.setattr(_stablehlo, "_program", None)
    for _ in range(100):
        damaged = bytearray(data)
        for _ in range(choice.choice([1, 4, 16])):
            damaged[choice.randrange(len(data))] = choice.randrange(256)
        path.write_bytes(damaged)
        try:
            tf.saved_model.load(str(tmp_path)).f(tf.ones([2, 3]))
        except (OSError, RuntimeError, TypeError, ValueError, AttributeError, tf.errors.OpError):
            pass  # there is no model, no `f`, or it takes other arguments
