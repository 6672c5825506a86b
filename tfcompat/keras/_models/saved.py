"""The part of `Model` that saves it: files, JSON, and the arguments of `compile`."""

import json
import os
import warnings
from typing import Any

from tfcompat._core.variable import Variable
from tfcompat._formats.damage import refusing
from tfcompat._formats.whole import Replacing, make_folder
from tfcompat._package.logging import logger
from tfcompat.errors import UnimplementedError
from tfcompat.keras import losses, metrics, optimizers
from tfcompat.keras._models.graph_config import json_type
from tfcompat.keras._saving import hdf5 as _hdf5
from tfcompat.keras._saving.config import refuse_code, serialize_keras_object
from tfcompat.keras._saving.folders import export, is_called, save_forward
from tfcompat.keras._saving.models import members, pickled, save_model
from tfcompat.keras._saving.parts import parts_of
from tfcompat.keras.optimizers._of_tf1 import TFOptimizer
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.saved_model._array_files import load_arrays, save_arrays
from tfcompat.saved_model._hdf5 import reading, written
from tfcompat.train import Checkpoint, _state

_HDF5 = (".h5", ".hdf5", ".hdf", ".keras")


class Saved:
    """Writes and reads models and their weights."""

    # Of Model and Layer.
    weights: Any
    layers: Any
    built: bool
    optimizer: Any
    trainable_variables: Any
    compile: Any
    set_weights: Any
    get_config: Any
    _flatten_layers: Any
    _is_compiled: bool
    __deepcopy__: Any

    def __reduce_ex__(self, protocol):
        return pickled(self) if self.built else super().__reduce_ex__(protocol)

    def __copy__(self):
        return self.__deepcopy__({})

    def save(self, filepath, overwrite=True, save_format=None, **kwargs):
        """Writes the model to a `.keras` or `.h5` file, or as a SavedModel; see `tf.keras.models.save_model`.

        TF: `tf.keras.Model.save`.
        """
        save_model(self, filepath, overwrite, save_format, **kwargs)

    def export(self, filepath):
        """Writes the forward pass as a SavedModel, for TensorFlow and tfcompat; its endpoint is `serve`.

        Args:
          filepath: path of the folder.

        Raises:
          ValueError: the shape of the inputs is not known.

        TF: `tf.keras.Model.export`.
        """
        export(self, os.fspath(filepath))

    def to_json(self, **kwargs):
        """The configuration as JSON text, for `tf.keras.models.model_from_json`.

        Args:
          **kwargs: for `json.dumps`.

        TF: `tf.keras.Model.to_json`.
        """
        return json.dumps(self._updated_config(), default=json_type, **kwargs)

    def _updated_config(self):
        return {
            "class_name": type(self).__name__,
            "config": serialize_keras_object(self)["config"],
            "keras_version": "2.21.0",
            "backend": "tensorflow",
        }

    def to_yaml(self, **kwargs):
        """Not available, as in Keras: use `to_json`."""
        raise RuntimeError("Method `model.to_yaml()` has been removed due to security risk: use `model.to_json()`.")

    def _save_as_saved_model(self, path, signatures, options):
        """Writes the model for `tf.saved_model.load`. Returns False if the shapes of its inputs are not known."""
        known = is_called(self)
        if known:
            save_forward(self, path, signatures, options)
        return known

    # --- compile ------------------------------------------------------------------------------------------------------

    def get_compile_config(self):
        """The arguments of `compile`, as a dict for `compile_from_config`; None for a model that is not compiled."""
        config = self.__dict__.get("_compile_config")
        if isinstance(self.optimizer, TFOptimizer):
            logger.warning("An optimizer of tf.compat.v1.train has no configuration: the model is saved without it.")
            return None
        return None if config is None or not self._is_compiled else serialize_keras_object(config)

    def compile_from_config(self, config):
        """Compiles the model as `get_compile_config` says, and makes the variables of the optimizer.

        Raises:
          ValueError: an optimizer, loss or metric is not known.
        """
        refuse_code(config)

        def each(function, value) -> Any:
            if isinstance(value, dict) and "class_name" in value:
                return function(value)
            if isinstance(value, dict):
                return {key: each(function, part) for key, part in value.items()}
            if isinstance(value, list):
                return [each(function, part) for part in value]
            known = _serialization.get_registered_object(value) if isinstance(value, str) else None
            return value if known is None else known

        keywords = dict(config)
        for key, function in (
            ("optimizer", optimizers.deserialize), ("loss", losses.deserialize), ("metrics", metrics.deserialize),
            ("weighted_metrics", metrics.deserialize),
        ):  # fmt: skip
            keywords[key] = each(function, keywords.get(key))
        self.compile(**{key: value for key, value in keywords.items() if value is not None})
        if self.built and hasattr(self.optimizer, "build"):
            self.optimizer.build(self.trainable_variables)

    # --- weights ------------------------------------------------------------------------------------------------------

    def save_weights(self, filepath, overwrite=True, save_format=None, options=None):
        """Writes the weights.

        Args:
          filepath: path. A name that ends in `.weights.h5` or `.h5` makes an HDF5 file, the former with the state of
            the optimizer; one in `.npz` one NumPy archive; any other a TensorFlow checkpoint of that prefix.
          overwrite: bool, whether files may be there already.
          save_format: "tf" or "h5"; by the ending by default.
          options: must be None.

        Raises:
          ImportError: an HDF5 file is asked for, and h5py is not installed.
          FileExistsError: not `overwrite`, and the file is there.

        TF: `tf.keras.Model.save_weights`; each reads the other's files.
        """
        path, kind = _weights_path(filepath, save_format, options, "save_weights")
        if not overwrite and os.path.exists(path + ".index" if kind == "tf" else path):
            raise FileExistsError(f"{path} exists; pass overwrite=True")
        if kind == "tf":
            Checkpoint(root=self).write(path)
            _state.update(os.path.dirname(path), path, [path])  # where `tf.train.latest_checkpoint` looks
            return
        self._assert_weights_created()  # pyright: ignore
        if kind == "npz":
            weights = {f"{i}|{weight.name}": weight.numpy() for i, weight in enumerate(self.weights)}
            save_arrays(path, weights)
            return
        fill = _hdf5.put_state if path.endswith(".weights.h5") else _hdf5.put_weights
        data = written(lambda file: fill(file, self))
        make_folder(os.path.dirname(path))
        with Replacing(path) as file:
            file.write(data)

    def load_weights(self, filepath, skip_mismatch=False, by_name=False, options=None) -> Any:
        """Sets the weights to those that `save_weights`, or `save`, wrote.

        Args:
          filepath: path, as for `save_weights`, or of a `.keras` file, or of the folder of a SavedModel.
          skip_mismatch: bool, whether layers that do not fit are left as they are; for HDF5, and for `.h5` with
            `by_name` alone.
          by_name: bool, whether layers are found by name rather than by order; for `.h5`.
          options: must be None.

        Raises:
          OSError: no such file, or a damaged one.
          ValueError: the weights do not fit.
          After an error, all weights are as they were.

        TF: `tf.keras.Model.load_weights`.
        """
        path, kind = _weights_path(filepath, None, options, "load_weights")
        if (by_name or skip_mismatch) and kind not in ("h5", "keras"):
            raise ValueError(
                "When calling model.load_weights, skip_mismatch and by_name are only available for HDF5 files, not for "
                f"{path}."
            )
        if by_name and path.endswith((".weights.h5", ".keras")):
            raise ValueError(f"Invalid keyword arguments: ['by_name'] for {path}: its layers are found by their place.")
        if kind == "h5" and skip_mismatch and not by_name and not path.endswith((".weights.h5", ".keras")):
            raise ValueError(
                "When calling model.load_weights, skip_mismatch can only be set to True when by_name is True."
            )
        if kind == "tf":
            status = Checkpoint(root=self).read(path)
            for layer in self._flatten_layers():
                layer.finalize_state()
            return status.expect_partial() if hasattr(status, "expect_partial") else status
        if not self.built:
            raise ValueError(
                "Unable to load weights saved in HDF5 format into a subclassed Model which has not created its "
                "variables yet. Call the Model first, then load the weights."
            )
        if kind == "npz":
            arrays = load_arrays(path)
            self.set_weights([arrays[name] for name in sorted(arrays, key=lambda name: int(name.partition("|")[0]))])
            return None
        before = [(variable, variable.read_value()) for variable in self._saved_variables()]
        try:
            with refusing(path, ValueError):
                self._take_hdf5(path, skip_mismatch, by_name)
        except Exception:
            for variable, value in before:
                variable.assign(value)
            raise
        for layer in self._flatten_layers():
            layer.finalize_state()
        return None

    def _saved_variables(self):
        variables = {id(variable): variable for variable in self.weights}
        for _, part in parts_of(self):
            for variable in getattr(part, "variables", ()):
                if isinstance(variable, Variable):
                    variables[id(variable)] = variable
        return variables.values()

    def _take_hdf5(self, path, skip_mismatch, by_name):
        if not os.path.exists(path):
            raise FileNotFoundError(f"Unable to open file: no file found at {path}")
        if path.endswith(".keras"):
            with reading(members(path, "model.weights.h5")[0], path) as file:
                _hdf5.take_state(file, self, skip_mismatch)
            return
        with reading(path, path) as file:
            if path.endswith(".weights.h5"):
                _hdf5.take_state(file, self, skip_mismatch)
                return
            group = file["model_weights"] if "layer_names" not in file.attrs and "model_weights" in file else file
            if by_name:
                _hdf5.take_weights_by_name(group, self, skip_mismatch)
            else:
                _hdf5.take_weights(group, self)


def _is_hdf5(path):
    """Whether a file begins as HDF5 does, whatever its name."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"


def _weights_path(filepath, save_format, options, method):
    """(path, kind of the file)."""
    path = os.fspath(filepath)
    if options is not None:
        raise UnimplementedError(
            None, None, f"tf.keras.Model.{method}: `options` is not available in tfcompat: use None"
        )
    if save_format not in (None, "tf", "tensorflow", "h5", "hdf5", "keras"):
        raise ValueError(f"Unknown format: `{save_format}`. Was expecting one of {{\"tf\", \"h5\"}}.")
    if save_format in ("tf", "tensorflow"):
        if path.endswith(_HDF5):
            raise ValueError(
                f'save_weights got save_format="tf"/"tensorflow", but the filepath ({path}) looks like an HDF5 file. '
                'Omit the ".h5"/".keras" when saving in TensorFlow format.'
            )
        return path, "tf"
    if method == "load_weights" and os.path.isfile(os.path.join(path, "saved_model.pb")):
        return os.path.join(path, "variables", "variables"), "tf"
    if path.endswith(_HDF5) or save_format is not None or method == "load_weights" and _is_hdf5(path):
        if method == "save_weights" and path.endswith(".keras"):
            warnings.warn(f"{path} will hold weights alone, in HDF5: use `save` for a .keras file", stacklevel=4)
        return path, "h5"
    return path, "npz" if path.endswith(".npz") else "tf"
