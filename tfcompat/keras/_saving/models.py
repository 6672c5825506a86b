"""Whole models in files: `.keras`, a zip of configuration and weights, and `.h5`."""

import contextlib
import datetime
import io
import json
import os
import tempfile
import warnings
import zipfile
from typing import Any

from tfcompat._core import restoring
from tfcompat._formats.damage import refuse_bomb, refusing
from tfcompat._formats.whole import Replacing, make_folder
from tfcompat._package.logging import logger
from tfcompat.errors import UnimplementedError
from tfcompat.keras import metrics
from tfcompat.keras._models.graph_config import as_json
from tfcompat.keras._saving import config as _config
from tfcompat.keras._saving import hdf5 as _hdf5
from tfcompat.keras._saving._legacy import serialize_keras_object
from tfcompat.keras._saving.folders import load_folder, save_folder
from tfcompat.layers._layer import registry as _registry
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.serialization import (
    CustomObjectScope,
    get_registered_name,
    get_registered_object,
    legacy_config,
)
from tfcompat.layers._layer.shared_objects import shared_objects
from tfcompat.saved_model._hdf5 import h5py_module, reading, written

_METADATA, _CONFIG, _WEIGHTS, _TEXTS = "metadata.json", "config.json", "model.weights.h5", "assets/"
_KERAS_VERSION = "2.21.0"  # the version whose format the files have
_LEGACY = (".h5", ".hdf5", ".hdf")


def save_model(model, filepath, overwrite=True, save_format=None, **kwargs):
    """Writes a model: its configuration, weights, what `compile` was given, and the optimizer's state.

    Args:
      model: built Keras model of layers with `get_config`.
      filepath: path that ends in `.keras` or `.h5`, or of a folder for a SavedModel.
      overwrite: bool; False raises FileExistsError if the file is there.
      save_format: "keras", "h5" or "tf"; by the ending by default.
      **kwargs: `include_optimizer`: bool, for `.h5`; `signatures` and `options` for a SavedModel.

    Raises:
      ImportError: h5py is not installed.
      NotImplementedError, TypeError, ValueError: the model cannot be written down.

    The file takes the place of an older one at once, when it is complete.
    TF: `tf.keras.models.save_model`; each reads the other's files.
    """
    path = os.fspath(filepath)
    keras_format = _format_of(path, save_format)
    include_optimizer = kwargs.pop("include_optimizer", True)
    if keras_format == "tf":
        if kwargs.pop("save_traces", True) is not True:
            raise UnimplementedError(None, None, "tf.keras.Model.save: save_traces=False is not available in tfcompat")
        save_folder(model, path, overwrite, _training(model), **kwargs)
        return
    for name in kwargs:
        if name not in ("options", "signatures", "save_traces") or kwargs[name] not in (None, True):
            raise ValueError(
                "The following argument(s) are not supported with the native Keras format: "
                f"{[name for name, value in kwargs.items() if value is not None]}"
            )
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} exists; pass overwrite=True")
    h5py_module()
    if keras_format == "keras":
        if not path.endswith(".keras"):
            raise ValueError(
                f"Invalid `filepath` argument: expected a `.keras` extension. Received: filepath={path}"
            )
        data = _archived(model)
    else:
        data = written(lambda file: _fill_legacy(file, model, include_optimizer))
    make_folder(os.path.dirname(path))
    with Replacing(path) as file:
        file.write(data)


def _format_of(path, save_format):
    if save_format not in (None, "keras", "h5", "hdf5", "keras_v3", "tf", "tensorflow"):
        raise ValueError(
            "Unknown `save_format` argument. Expected one of 'keras', 'tf', or 'h5'. Received: "
            f"save_format={save_format}"
        )
    if save_format is None:
        save_format = "keras" if path.endswith(".keras") else "h5" if path.endswith(_LEGACY) else "tf"
    if save_format in ("tf", "tensorflow"):
        return "tf"
    return "keras" if save_format.startswith("keras") else "h5"


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True, **kwargs):
    """Reads a model that `Model.save` wrote, here or in tf_keras.

    Args:
      filepath: path of a `.keras` or HDF5 file, or of the folder of a SavedModel. One without a Keras model gives what
        `tf.saved_model.load` returns.
      custom_objects: dict from names to classes and functions, and from names of Lambda layers to their functions.
      compile: bool, whether to compile the model as it was, with the state of the optimizer.
      safe_mode: bool, whether vocabularies in other files, which the model names, are refused. Code in a file is never
        run, whatever this says.

    Returns:
      Model.

    Raises:
      OSError: there is no such file, or it is of another format or damaged.
      ValueError: a class or function is not known, there is code in the file, or the weights do not fit, or take
        more than a gigabyte and more than a hundred times the size of the file.

    TF: `tf.keras.models.load_model`.
    """
    path = os.fspath(filepath)
    if kwargs.pop("options", None) is not None or kwargs:
        raise ValueError(f"The following argument(s) are not supported: {list(kwargs) or ['options']}")
    if not os.path.exists(path):
        raise OSError(f"No file or directory found at {path}")
    with refusing(path, ValueError), _telling_of_keras_3(path), restoring.loading(path, _size_of(path)):
        if os.path.isdir(path):
            return load_folder(path, custom_objects, compile, model_from_config, _compiled)
        if zipfile.is_zipfile(path):
            return _from_archive(path, custom_objects, compile, safe_mode)
        if path.endswith(".keras"):
            raise OSError(f"{path}: no Keras file, or a damaged one: it is no zip archive")
        return _from_legacy(path, custom_objects, compile, safe_mode)


@contextlib.contextmanager
def _telling_of_keras_3(path):
    """Errors of a file that Keras 3 has written say so."""
    try:
        yield
    except (TypeError, ValueError) as error:
        version = _version_of(path)
        if not version.startswith("3."):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(
            f"{error}\n\n{path} was written by Keras {version}, but tf.keras is Keras 2. Run the program by `python -m "
            "tfcompat run` with TF_USE_LEGACY_KERAS=0, and tf.keras is Keras 3; or build the model by code, and call "
            "`load_weights`."
        ) from error


def _version_of(path):
    """Which Keras has written a file; "" if it does not say."""
    with contextlib.suppress(Exception):
        if zipfile.is_zipfile(path):
            return str(json.loads(*members(path, _METADATA))["keras_version"])
        with reading(path, path) as file:
            version = file.attrs["keras_version"]
            return version.decode() if isinstance(version, bytes) else str(version)
    return ""


def _size_of(path):
    """The bytes of a file, or of all files in a folder."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def pickled(model):
    """What `object.__reduce__` returns for a model that is built: the bytes of a `.keras` file."""
    classes = {type(layer) for layer in model._flatten_layers()}
    own = {each.__name__: each for each in classes if not each.__module__.startswith("tfcompat.")}
    return _unpickled, (_archived(model), own)


def _unpickled(data, classes):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        with open(path, "wb") as file:
            file.write(data)
        return load_model(path, classes, safe_mode=False)


# --- .keras -------------------------------------------------------------------------------------------------------


def _archived(model):
    """The bytes of a `.keras` file."""
    if not model.built:
        warnings.warn(
            "You are saving a model that has not yet been built. It might not contain any weights yet. Consider "
            "building the model first by calling it on some data.",
            stacklevel=4,
        )
    with shared_objects():
        config = as_json(_config.serialize_keras_object(model))
    saved = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    weights = written(lambda file: _hdf5.put_state(file, model))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(_METADATA, json.dumps({"keras_version": _KERAS_VERSION, "date_saved": saved}))
        archive.writestr(_CONFIG, config)
        archive.writestr(_WEIGHTS, weights)
        for name, text in _hdf5.texts_of(model).items():
            archive.writestr(_TEXTS + name, text)
    return buffer.getvalue()


def members(path, *names):
    """The bytes of files in a `.keras` archive.

    Raises:
      OSError: the archive is damaged, or one is not in it.
    """
    return _read(path, lambda archive: [archive.read(name) for name in names])


def _read(path, function) -> Any:
    with refusing(path, OSError, NotImplementedError, RuntimeError), zipfile.ZipFile(path) as archive:
        refuse_bomb(path, os.path.getsize(path), sum(member.file_size for member in archive.infolist()))
        return function(archive)


def _texts(archive):
    names = [name for name in archive.namelist() if name.startswith(_TEXTS) and not name.endswith("/")]
    return {name.removeprefix(_TEXTS): archive.read(name) for name in names}


def _from_archive(path, custom_objects, compile, safe_mode):
    config, weights = members(path, _CONFIG, _WEIGHTS)
    config = _parsed(config, path, safe_mode)
    if not compile:
        config["compile_config"] = None
    compiled = config.pop("compile_config", None)
    model = _model_of(config, custom_objects, _registry.deserialize_built)
    if compiled is not None:
        with CustomObjectScope(custom_objects or {}):
            model.compile_from_config(compiled)
    with reading(weights, path) as file:
        _hdf5.take_texts(_read(path, _texts), model)
        _hdf5.take_state(file, model)
    return model


def _parsed(text, where, safe_mode):
    try:
        config = json.loads(text)
    except ValueError as error:
        raise OSError(f"{where}: the configuration is damaged: {error}") from error
    if not isinstance(config, dict) or "class_name" not in config:
        raise ValueError(f"{where}: the configuration is not one of a model")
    if safe_mode:
        _config.refuse_files(config)
    return config


# --- .h5 ----------------------------------------------------------------------------------------------------------


def _fill_legacy(file, model, include_optimizer):
    with legacy_config(model):
        description = {"class_name": type(model).__name__, "config": _config.serialize_keras_object(model)["config"]}
    file.attrs["backend"] = "tensorflow"
    file.attrs["keras_version"] = _KERAS_VERSION
    file.attrs["model_config"] = as_json(description)
    _hdf5.put_weights(file.create_group("model_weights"), model)
    training = _training(model) if include_optimizer else None
    if training is None:
        return
    file.attrs["training_config"] = as_json(training)
    variables = _variables_of(model.optimizer)
    if variables:
        _hdf5.put_variables(file.create_group("optimizer_weights"), variables)


def _training(model):
    """The arguments of `compile` in the form that Keras had before Keras 3; None for a model that is not compiled."""
    compiled = model.get_compile_config()
    if compiled is None:
        return None
    training = {key: compiled[key] for key in ("loss", "metrics", "weighted_metrics", "loss_weights")}
    built = model.compiled_metrics.built
    for key in ("metrics", "weighted_metrics"):  # by the names that they have got, as `_compiled` takes them
        of_outputs = getattr(model.compiled_metrics, f"_{key}")
        training[key] = _nested(serialize_keras_object, of_outputs) if built else _named(training[key])
    optimizer = _config.serialize_keras_object(model.optimizer)
    name = get_registered_name(type(model.optimizer))
    return {**training, "optimizer_config": {"class_name": name, "config": optimizer["config"]}}


def _variables_of(optimizer):
    """The list of an optimizer's variables; `variables` of legacy ones is a method."""
    return optimizer.weights if _is_legacy(optimizer) else optimizer.variables


def _is_legacy(optimizer):
    return getattr(optimizer, "_is_legacy_optimizer", False)


def _nested(function, lists):
    """What a function makes of each item of nested lists."""
    return [_nested(function, item) for item in lists] if isinstance(lists, list) else function(lists)


def _named(value):
    """Names of metrics as the dicts that keep them: a name alone stands for a function, which goes by another."""
    if isinstance(value, list):
        return [_named(part) for part in value]
    if isinstance(value, dict) and "class_name" not in value:
        return {key: _named(part) for key, part in value.items()}
    if not isinstance(value, str) or value in ("accuracy", "acc", "crossentropy", "ce"):
        return value
    function = metrics.get(value)
    if isinstance(function, metrics.Metric) or getattr(function, "__name__", value) == value:
        return value
    config = {"name": value, "dtype": _settings.floatx(), "fn": function.__name__}
    return {"class_name": "MeanMetricWrapper", "config": config}


def _from_legacy(path, custom_objects, compile, safe_mode):
    with reading(path, path) as file:
        if "model_config" not in file.attrs:
            raise ValueError(f"No model config found in the file at {path}.")
        model = model_from_config(_parsed(file.attrs["model_config"], path, safe_mode), custom_objects)
        _hdf5.take_weights(file["model_weights"], model)
        for layer in model._flatten_layers():
            layer.finalize_state()
        if not compile:
            return model
        if "training_config" not in file.attrs:
            logger.warning(
                "No training configuration found in the save file, so the model was *not* compiled. Compile it "
                "manually."
            )
            return model
        with CustomObjectScope(custom_objects or {}):
            _compiled(model, json.loads(file.attrs["training_config"]))
        if "optimizer_weights" in file:
            if _is_legacy(model.optimizer):
                model.optimizer._create_all_weights(model.trainable_variables)
            arrays = _hdf5.take_variables(file["optimizer_weights"])
            if [array.shape for array in arrays] == [tuple(v.shape) for v in _variables_of(model.optimizer)]:
                model.optimizer.set_weights(arrays)
            else:
                logger.warning("The state of the optimizer in %s does not fit: it begins anew.", path)
    return model


def _compiled(model, training):
    """Compiles a model as a file says, in the form of `_training`."""
    training = dict(training)
    optimizer = dict(training.pop("optimizer_config"))
    if get_registered_object(optimizer["class_name"]) is None:
        optimizer["class_name"] = optimizer["class_name"].rpartition(">")[2]
    # A list for each output: metrics that were used, so they have the names of their outputs already.
    by_output = [training.get(key) for key in ("metrics", "weighted_metrics") if training.get(key)]
    used = all(isinstance(m, list) and all(isinstance(each, list) for each in m) for m in by_output)
    model.compile_from_config({**training, "optimizer": optimizer, "from_serialized": used})


# --- configurations alone -----------------------------------------------------------------------------------------


def model_from_config(config, custom_objects=None):
    """The model that a dict with `class_name` and `config` describes, with new weights.

    Raises:
      ValueError: a class or function is not known, or there is code in the dict.

    TF: `tf.keras.models.model_from_config`.
    """
    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            "`Sequential.from_config(config)`?"
        )
    return _model_of(config, custom_objects, _registry.deserialize)


def _model_of(config, custom_objects, deserialize):
    _config.refuse_code(config, custom_objects)
    with shared_objects():
        return deserialize(config, custom_objects)


def model_from_json(json_string, custom_objects=None):
    """The model that `Model.to_json` wrote down, with new weights.

    Raises:
      ValueError: as `model_from_config`; the text is no JSON.

    TF: `tf.keras.models.model_from_json`.
    """
    config = json.loads(json_string)
    return model_from_config(config, custom_objects)
