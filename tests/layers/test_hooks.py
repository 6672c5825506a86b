"""What Keras's layers call on themselves is called here as well, or a subclass that overrides it is warned about."""

import inspect
import logging

import pytest
from rows import load_rows

import tfcompat as tf
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._layer.uncalled_methods import UNUSED

from . import render_hooks
from ._cases import every_case

HOOKS = render_hooks.hooks()
UNUSED_ROWS = [(name, hook) for name, hooks in UNUSED.items() for hook in sorted(hooks)]

# Called by code that these share with the class named, for which it is seen.
LIKE = {
    ("Conv1D", "_jit_compiled_convolution_op"): "Conv2D",
    ("Conv3D", "_jit_compiled_convolution_op"): "Conv2D",
    ("GRU", "_create_dropout_mask"): "LSTM",
    ("GRU", "_validate_state_spec"): "RNN",
    ("LSTM", "_validate_state_spec"): "RNN",
    ("SimpleRNN", "_validate_state_spec"): "RNN",
}
# A layer has them of the class that it shares with its cell; in Keras, too, only cells call them.
OF_CELLS = {("GRU", "_create_recurrent_dropout_mask"), ("LSTM", "_create_recurrent_dropout_mask")}
# Keras calls them in code that never runs for these: for causal padding, or where each overrides the caller.
NEVER = {
    ("Conv2D", "_compute_causal_padding"),
    ("Conv3D", "_compute_causal_padding"),
    ("Concatenate", "_compute_elemwise_op_output_shape"),
    ("Dot", "_compute_elemwise_op_output_shape"),
}


@pytest.fixture
def noted(monkeypatch):
    """The (class, method) of what is called while the layers of all cases run, and of what the rows override."""
    found = set()
    for name, hooks in HOOKS.items():
        base = getattr(tf.keras.layers, name)
        methods = {"__module__": "tests", "__init_subclass__": _noting_overrides(name, hooks, found)}
        for hook in hooks if name == "Layer" else {**hooks, **HOOKS["Layer"]}:
            value = inspect.getattr_static(base, hook, None)
            if inspect.isfunction(value) and hook not in UNUSED.get(name, frozenset()) | UNUSED["Layer"]:
                methods[hook] = _noting_calls(value, (name, hook), found)
        monkeypatch.setattr(tf.keras.layers, name, type(name, (base,), methods))
    return found


def _noting_calls(method, entry, found):
    def noting(self, *args, **kwargs):
        found.add(entry)
        return method(self, *args, **kwargs)

    noting.__wrapped__ = method
    return noting


def _noting_overrides(name, hooks, found):
    def noting(cls, **kwargs):
        super(getattr(tf.keras.layers, name), cls).__init_subclass__(**kwargs)
        found.update((name, hook) for hook in hooks.keys() & cls.__dict__.keys())

    return classmethod(noting)


def test_each_method_is_called_or_warned_about(noted):
    for case in every_case():
        tf.keras.backend.clear_session()
        layer = case.make(tf)
        inputs = [tf.constant(case.array(f"input {i}", shape)) for i, shape in enumerate(case.shapes)]
        options = {} if case.training is None else {"training": case.training}
        layer(inputs if len(inputs) > 1 else inputs[0], **options)
        shapes = [(None, *shape[1:]) for shape in case.shapes]
        layer.compute_output_shape(shapes if len(shapes) > 1 else shapes[0])
    for name, row in load_rows("layers").items():
        if name.partition(".")[0] in ("hooks", "preprocessing"):
            row.run(tf)
    stateful = tf.keras.layers.SimpleRNN(1, stateful=True)
    stateful(tf.ones((1, 2, 1)))
    stateful.save_own_variables({})
    kept = tf.Variable(1.0)
    tf.keras.layers.Lambda(lambda x: x * kept)(tf.ones((1, 1)))  # which warns
    anywhere = {hook for _, hook in noted if hook in HOOKS["Layer"] or not hook.startswith("_")} | {"get_config"}
    missing = {
        (name, hook)
        for name, hooks in HOOKS.items()
        for hook in hooks
        if hook not in UNUSED.get(name, ()) and hook not in anywhere
        if (name, hook) not in noted and (LIKE.get((name, hook)), hook) not in noted
    }
    assert missing - OF_CELLS - NEVER == set()


def test_the_table_is_up_to_date():
    assert render_hooks.TABLE.read_text(encoding="utf-8") == render_hooks.rendered(), "run tests/layers/render_hooks.py"


@pytest.mark.parametrize(("name", "hook"), UNUSED_ROWS)
def test_what_is_overridden_in_vain_is_warned_about(name, hook, caplog):
    base = getattr(tf.keras.layers, name)
    kind = type("Mine", (base,), {hook: lambda self, *args, **kwargs: None})
    assert kind._ignored_hooks == (hook,)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        kind.__new__(kind)
        kind.__new__(kind)
    [record] = caplog.records
    assert f"Mine.{hook} overrides" in record.getMessage() and record.name == "tensorflow"


def test_what_ones_own_code_calls_is_not_warned_about():
    class Own(tf.keras.layers.RandomBrightness):
        def _set_factor(self, factor):
            self._factor = factor

        def call(self, inputs):
            return [self._set_factor(x) for x in inputs]

    class Inherited(Own):
        pass

    class Mixin:
        def _parse_function_from_config(self, config):
            raise AssertionError

    class Mixed(Mixin, tf.keras.layers.Lambda):
        pass

    class Named(tf.keras.layers.Lambda):
        _parse_function_from_config = "a string"

    class Again(Mixed):
        def _parse_function_from_config(self, config):
            super()._parse_function_from_config(config)

    assert Own._ignored_hooks == Inherited._ignored_hooks == Named._ignored_hooks == ()
    assert Mixed._ignored_hooks == Again._ignored_hooks == ("_parse_function_from_config",)


def test_overridden():
    class Mine(tf.keras.layers.Dropout):
        def _get_noise_shape(self, inputs):
            return None

    layers = tf.keras.layers
    assert overridden(Mine(0.5), layers.Dropout, "call", "_get_noise_shape")
    assert not overridden(Mine(0.5), layers.Dropout, "call")
    assert not overridden(layers.Dropout(0.5), layers.Dropout, "_get_noise_shape")


@pytest.mark.parametrize("shape", [(), []])
@pytest.mark.parametrize("kind", ["sequential", "subclass"])
def test_models_built_of_an_empty_shape_are_built_when_called(kind, shape):
    """As in tf_keras, where there are no weights before the first call."""

    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.inner(x)

    model = Outer() if kind == "subclass" else tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.build(shape)
    assert model.built and not model.weights
    assert model(tf.ones([4, 3])).shape == [4, 2]
    assert [w.shape.as_list() for w in model.weights] == [[3, 2], [2]]
