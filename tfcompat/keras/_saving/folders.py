"""Keras models as SavedModel folders."""

import collections.abc
import functools
import json
import os
import warnings

from tfcompat import nest, saved_model
from tfcompat._core.module import Module
from tfcompat._core.spec import TensorSpec
from tfcompat._formats.protobuf import Message
from tfcompat._formats.whole import Replacing
from tfcompat.errors import OpError, UnimplementedError
from tfcompat.function import function
from tfcompat.keras._models.graph_config import as_json
from tfcompat.keras._saving.archive import tell_endpoints
from tfcompat.keras._saving.hdf5 import take_texts, texts_of
from tfcompat.layers._layer.registry import registered
from tfcompat.layers._layer.serialization import CustomObjectScope
from tfcompat.saved_model._options import SaveOptions
from tfcompat.saved_model._save import own_functions
from tfcompat.train import Checkpoint
from tfcompat.train._objects import children

_CONFIG = "keras_config.json"  # beside the model: what Keras makes it of
_METADATA = "keras_metadata.pb"
_MADE_BY_FIT = "train_function", "test_function", "predict_function"


class _SavedObject(Message):
    NAME = "third_party.tensorflow.python.keras.protobuf.SavedObject"
    FIELDS = ((2, "node_id", "int32"), (3, "node_path", "string"), (4, "identifier", "string"),
              (5, "metadata", "string"))  # fmt: skip


class _SavedMetadata(Message):
    NAME = "third_party.tensorflow.python.keras.protobuf.SavedMetadata"
    FIELDS = ((1, "nodes", [_SavedObject]),)


class _Saved(Module):
    """A model as it is saved: what a checkpoint of it holds, functions of tensors, and the program's own functions."""

    def __init__(self, model):
        vars(self).update(dict(children(model)))
        vars(self).update((name, function) for name, function in own_functions(model) if name not in _MADE_BY_FIT)
        vars(self)["variables"] = list(model.variables)
        vars(self)["trainable_variables"] = list(model.trainable_variables)
        vars(self)["non_trainable_variables"] = list(model.non_trainable_variables)


def _specs(model):
    """The TensorSpecs of a model's inputs, and names for its results; ValueError if they are not known."""
    inputs = getattr(model, "inputs", None)
    if not inputs:
        spec = model._get_save_spec() if hasattr(model, "_get_save_spec") else None
        if spec is not None:
            return spec
        raise ValueError(
            f"Model {model} cannot be saved either because the input shape is not available or because the forward "
            "pass of the model is not defined. To define a forward pass, please override `Model.call()`. To specify "
            "an input shape, call the model, or save it as .keras."
        )
    names = list(getattr(model, "input_names", None) or [])
    specs = [
        TensorSpec(x.shape, x.dtype, names[i] if i < len(names) else f"input_{i + 1}")
        for i, x in enumerate(nest.flatten(inputs))
    ]
    return nest.pack_sequence_as(inputs, specs) if nest.is_nested(inputs) and len(specs) > 1 else specs[0]


def _forward(model, training_too=False):
    """The forward pass as a function of the inputs; and of `training`, if it is to be traced for both values."""
    spec = _specs(model)
    if not training_too:
        return function(lambda *args: model(args[0], training=False), input_signature=[spec])
    call = function(lambda inputs, training=False: model(inputs, training=training))
    for training in (False, True):
        call.get_concrete_function(spec, training=training)
    return call


def _named_outputs(model, call):
    names = list(getattr(model, "output_names", None) or [])

    def serve(*inputs):
        results = call(nest.pack_sequence_as(spec, list(inputs)) if nest.is_nested(spec) else inputs[0])
        flat = nest.flatten(results)
        return results if isinstance(results, dict) else dict(zip(keys(len(flat)), flat, strict=True))

    def keys(count):
        return names if len(names) == count else [f"output_{i + 1}" for i in range(count)]

    spec = _specs(model)
    return function(serve, input_signature=nest.flatten(spec))


def serving_function(model):
    """The forward pass as a `tf.function` of the inputs, whose results are named.

    Raises:
      ValueError: the shape of the inputs is not known.
    """
    return _named_outputs(model, _forward(model))


def save_folder(model, path, overwrite, training, signatures=None, options=None):
    """Writes a model as a SavedModel.

    Args:
      model: built Keras model.
      path: of the folder.
      overwrite: bool; False raises FileExistsError if it is there.
      training: dict of the arguments of `compile`, or None.
      signatures: function or dict of functions; by default the model itself, its results by the names of its outputs.
      options: SaveOptions.

    Raises:
      ValueError: the shape of the inputs is not known.

    TF: `tf.keras.Model.save` with `save_format="tf"`. TensorFlow loads the folder by `tf.saved_model.load`, and its
    weights by `load_weights`; `tf.keras.models.load_model` gives the whole model here.
    """
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} exists; pass overwrite=True")
    training_too = save_forward(model, path, signatures, options)
    texts = {name: text.decode() for name, text in texts_of(model).items()}
    called = {"name": model.name, "expects_training_arg": training_too}
    config = {"model": json.loads(model.to_json()), "called": called, "training": training, "texts": texts}
    with Replacing(os.path.join(path, _CONFIG)) as file:
        file.write(as_json(config).encode())


def save_forward(model, path, signatures=None, options=None):
    """Writes a model for `tf.saved_model.load`; for the arguments see `save_folder`.

    Returns:
      Whether its function takes `training`. A model that cannot be written as it trains is written without that.
    """
    for training_too in (True, False):
        saved = _Saved(model)
        try:
            call = vars(saved)["__call__"] = _forward(model, training_too)
            own = signatures or _named_outputs(model, call)
            saved_model.save(saved, path, own, options or SaveOptions())
            return training_too
        except UnimplementedError:
            if not training_too:
                raise
    raise AssertionError("one of both ways returns or raises")


def is_called(model):
    """Whether the shapes of a model's inputs are known."""
    return bool(getattr(model, "inputs", None)) or model._get_save_spec() is not None


def export(model, path):
    """Writes the forward pass of a model as a SavedModel with the endpoint `serve`.

    TF: `tf.keras.Model.export`.
    """
    saved = Module()
    vars(saved)["serve"] = _forward(model)
    for name in ("variables", "trainable_variables", "non_trainable_variables"):
        vars(saved)[name] = list(getattr(model, name))
    saved_model.save(saved, path, {"serve": saved.serve, "serving_default": saved.serve})
    tell_endpoints(path, {"serve": saved.serve})


class _Signatures(collections.abc.Mapping):
    """The signatures in a SavedModel, by name, with the weights of the file; loaded when they are looked at."""

    def __init__(self, path):
        self._path = path

    @functools.cached_property
    def _loaded(self):
        return saved_model.load(self._path).signatures

    def __getitem__(self, name):
        return self._loaded[name]

    def __iter__(self):
        return iter(self._loaded)

    def __len__(self):
        return len(self._loaded)


def load_folder(path, custom_objects, compile, from_config, from_training):
    """The model in a SavedModel of Keras; what `tf.saved_model.load` returns if there is no Keras model in it.

    Args:
      path: of the folder.
      custom_objects: as for `load_model`.
      compile: bool.
      from_config: function of a dict and `custom_objects` to a new model.
      from_training: function of a model and the dict of the arguments of its `compile`.

    Raises:
      OSError, ValueError: it is damaged, or a class is not known.
    """
    config, training, texts = _config(path)
    if config is None:
        return saved_model.load(path)
    try:
        model, has_weights = from_config(config, custom_objects), False
    except ValueError:
        model, has_weights = _revived(path, config), True
    vars(model)["signatures"] = _Signatures(path)
    prefix = os.path.join(path, "variables", "variables")
    try:
        status = Checkpoint(root=model).read(prefix)
        if not has_weights:
            status.assert_existing_objects_matched()
        status._give_up()  # of the optimizer, which the model may get later
    except AssertionError as error:
        raise ValueError(f"{path}: its weights are not those of the model in its configuration: {error}") from error
    if texts is not None:
        take_texts({name: text.encode() for name, text in texts.items()}, model)
    else:
        _take_tables(model, path)
    for layer in model._flatten_layers():
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()
    if compile and training is not None:
        with CustomObjectScope(custom_objects or {}):
            from_training(model, training)
        if model.optimizer is not None:
            try:
                Checkpoint(root=model).read(prefix).expect_partial()
            except OpError as error:
                raise ValueError(f"{path}: the state of its optimizer cannot be read: {error}") from error
    return model


def _load_quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of functions that are not called here, as those that adapt layers
        return saved_model.load(path)


def _revived(path, metadata):
    loaded = _load_quietly(path)
    if not callable(loaded):
        raise ValueError(f"{path}: Unknown class {metadata['class_name']}, and the folder has no function of it")
    return type(metadata["class_name"], (registered("revived")["Revived"],), {})(loaded, metadata)


def _take_tables(model, path):
    """Gives layers of text and numbers the vocabularies that TensorFlow saved as tables."""
    waiting = [layer for layer in model._flatten_layers() if hasattr(layer, "_take_table")]
    if not any(not layer.input_vocabulary for layer in waiting):
        return
    queue, seen = [(model, _load_quietly(path))], set()
    while queue:
        obj, saved = queue.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        if hasattr(obj, "_take_table") and not obj.input_vocabulary and hasattr(saved, "lookup_table"):
            obj._take_table(*saved.lookup_table.resource_handle.arrays())
        queue += [(child, vars(saved)[name]) for name, child in children(obj) if name in getattr(saved, "__dict__", {})]


def _config(path):
    """(configuration, arguments of `compile` or None, texts of layers or None); None thrice without one.

    A folder of TensorFlow has no texts of layers, but tables.
    """
    ours, theirs = os.path.join(path, _CONFIG), os.path.join(path, _METADATA)
    if os.path.exists(ours):
        with open(ours, encoding="utf-8") as file:
            data = json.load(file)
        return data.get("called", {}) | data["model"], data["training"], data.get("texts", {})
    if os.path.exists(theirs):
        with open(theirs, "rb") as file:
            nodes = _SavedMetadata.FromString(file.read()).nodes
        for node in nodes:
            if node.node_path == "root":
                metadata = _without_tuples(json.loads(node.metadata))
                return metadata, metadata.get("training_config"), None
    return None, None, None


def _without_tuples(value):
    """JSON of Keras with lists for its tuples and shapes."""
    if isinstance(value, dict):
        if value.get("class_name") in ("__tuple__", "TensorShape") and "items" in value:
            return [_without_tuples(item) for item in value["items"]]
        return {key: _without_tuples(item) for key, item in value.items()}
    return [_without_tuples(item) for item in value] if isinstance(value, list) else value
