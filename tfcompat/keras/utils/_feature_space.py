"""`FeatureSpace`: columns of a table, each prepared by a layer of its own, as one vector or a dict."""

from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import expand_dims, reshape, squeeze
from tfcompat.keras._saving import config as _config
from tfcompat.keras._saving import save_model
from tfcompat.layers import (
    CategoryEncoding,
    Concatenate,
    Discretization,
    HashedCrossing,
    Hashing,
    Identity,
    Input,
    IntegerLookup,
    Layer,
    Normalization,
    Rescaling,
    StringLookup,
)
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._symbolic.keras_tensor import KerasTensor

_MODULE = "tf_keras.src.utils.feature_space"  # where files say that Feature and Cross are
_SIZES = {  # how many one-hot columns what a layer returns needs
    IntegerLookup: lambda layer: layer.vocabulary_size(),
    StringLookup: lambda layer: layer.vocabulary_size(),
    CategoryEncoding: lambda layer: layer.num_tokens,
    Discretization: lambda layer: layer.num_bins,
    HashedCrossing: lambda layer: layer.num_bins,
    Hashing: lambda layer: layer.num_bins,
}


def _check_mode(value, modes):
    if value not in modes:
        raise ValueError(
            "Invalid value for argument `output_mode`. Expected one of {"
            f"{', '.join(map(repr, modes))}}}. Received: output_mode={value}"
        )


class Cross:
    """Several features as one, by the hash of their values together; made by `FeatureSpace.cross`."""

    def __init__(self, feature_names, crossing_dim, output_mode="one_hot"):
        _check_mode(output_mode, ("int", "one_hot"))
        self.feature_names = tuple(feature_names)
        self.crossing_dim = crossing_dim
        self.output_mode = output_mode

    @property
    def name(self):
        """The names of the features, joined by `_X_`."""
        return "_X_".join(self.feature_names)

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {
            "feature_names": self.feature_names,
            "crossing_dim": self.crossing_dim,
            "output_mode": self.output_mode,
        }

    @classmethod
    def from_config(cls, config):
        """The cross that `config` describes."""
        return cls(**config)


class Feature:
    """A column's dtype, the layer that prepares it, and what becomes of that; made by `FeatureSpace.feature`."""

    def __init__(self, dtype, preprocessor, output_mode):
        _check_mode(output_mode, ("int", "one_hot", "float"))
        self.dtype = dtype
        if isinstance(preprocessor, dict):
            preprocessor = _config.deserialize_keras_object(preprocessor)
        self.preprocessor = preprocessor
        self.output_mode = output_mode

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        preprocessor = _config.serialize_keras_object(self.preprocessor)
        return {"dtype": self.dtype, "preprocessor": preprocessor, "output_mode": self.output_mode}

    @classmethod
    def from_config(cls, config):
        """The feature that `config` describes, its layer with new weights."""
        return cls(**config)


def _feature(kind, dtype, output_mode, name, layer, /, **options):
    """The Feature of a kind, whose layer has a name made of that of the feature."""
    name = name or _naming.unique_name(kind, zero_based=False)
    return Feature(dtype, layer(name=f"{name}_preprocessor", **options), output_mode)


def _written(part):
    """The dict that describes a Feature or Cross."""
    config: Any = _serialization.serialize(part, _MODULE)
    config["registered_name"] = type(part).__name__
    return config


def _read(part) -> Any:
    """The Feature or Cross that a dict describes; anything else as it is."""
    if not isinstance(part, dict):
        return part
    return _serialization.deserialize(part, {"Feature": Feature, "Cross": Cross}, kind="feature")


@register_keras_object("keras.utils")
class FeatureSpace(Layer):
    """Columns of a table, each prepared by a layer of its own, and crosses of them, as one vector or as a dict.

    Args:
      features: dict from names of columns to what they are: the name of a kind, "float", "float_rescaled",
        "float_normalized", "float_discretized", "integer_categorical", "string_categorical", "integer_hashed" or
        "string_hashed"; or what the class method of that name, or `feature`, returned.
      output_mode: "concat" for one vector, of the features by name and then the crosses by name; "dict" for a dict
        of them.
      crosses: list of tuples of names of features, or of what `cross` returned; or None.
      crossing_dim: int, how many values a cross has that is a tuple of names.
      hashing_dim: int, how many values a hashed feature has that is the name of a kind.
      num_discretization_bins: int, how many values a "float_discretized" feature has.

    Raises:
      ValueError: no features, an unknown kind or mode, or a cross of something that is no feature.

    `adapt` shows it data; then it is called on a dict of values, one for each feature: a sample of scalars, or a batch
    of vectors or of matrices with one column. Categories are one-hot unless the feature's `output_mode` is "int".
    `preprocessors` and `crossers` are dicts of the layers inside.
    TF: `tf.keras.utils.FeatureSpace`; known differences: it has what layers have, `name` and `weights` too, and can be
      part of a model.
    """

    features: Any
    one_hot_encoders: Any
    concat: Any
    encoded_features: Any
    _is_adapted: bool

    def __init__(
        self,
        features,
        output_mode="concat",
        crosses=None,
        crossing_dim=32,
        hashing_dim=32,
        num_discretization_bins=32,
    ):
        super().__init__()
        if not features:
            raise ValueError("The `features` argument cannot be None or empty.")
        self.crossing_dim = crossing_dim
        self.hashing_dim = hashing_dim
        self.num_discretization_bins = num_discretization_bins
        self.features = {name: self._as_feature(name, value) for name, value in features.items()}
        self.crosses = [self._as_cross(cross) for cross in crosses or ()]
        self.crosses_by_name = {cross.name: cross for cross in self.crosses}
        _check_mode(output_mode, ("dict", "concat"))
        self.output_mode = output_mode
        self.inputs = {
            name: Input(shape=(1,), dtype=feature.dtype, name=name) for name, feature in self.features.items()
        }
        self.preprocessors = {name: feature.preprocessor for name, feature in self.features.items()}
        self.encoded_features = None
        self.crossers = {cross.name: HashedCrossing(cross.crossing_dim, name=cross.name) for cross in self.crosses}
        self.one_hot_encoders = {}
        self.concat = None
        self._is_adapted = False

    def _as_feature(self, name, feature):
        if isinstance(feature, Feature | dict):
            return _read(feature)
        options = {
            "float": {},
            "float_normalized": {},
            "float_rescaled": {},
            "float_discretized": {"num_bins": self.num_discretization_bins},
            "integer_categorical": {},
            "string_categorical": {},
            "integer_hashed": {"num_bins": self.hashing_dim},
            "string_hashed": {"num_bins": self.hashing_dim},
        }
        if feature not in options:
            raise ValueError(f"Invalid feature type: {feature}")
        return getattr(self, feature)(name=name, **options[feature])

    def _as_cross(self, cross):
        if isinstance(cross, Cross | dict):
            return _read(cross)
        if not self.crossing_dim:
            raise ValueError(
                "When specifying `crosses`, the argument `crossing_dim` (dimensionality of the crossing space) should "
                "be specified as well."
            )
        if any(name not in self.features for name in cross):
            raise ValueError(
                "All features referenced in the `crosses` argument should be present in the `features` dict. Received "
                f"unknown features: {cross}"
            )
        return Cross(cross, self.crossing_dim)

    # --- kinds of features --------------------------------------------------------------------------------

    @classmethod
    def cross(cls, feature_names, crossing_dim, output_mode="one_hot"):
        """Features as one category: the hash of their values together.

        Args:
          feature_names: tuple of names.
          crossing_dim: int, how many values there are.
          output_mode: "one_hot", or "int" for the category itself.
        """
        return Cross(feature_names, crossing_dim, output_mode)

    @classmethod
    def feature(cls, dtype, preprocessor, output_mode):
        """A feature with any layer.

        Args:
          dtype: str, the dtype of the column.
          preprocessor: layer.
          output_mode: "float"; or "one_hot" or "int", of layers that return categories.
        """
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name=None):
        """Numbers as they are. `name` is the start of the layer's name, here and in the other kinds."""
        return _feature("float", "float32", "float", name, Identity, dtype="float32")

    @classmethod
    def float_rescaled(cls, scale=1.0, offset=0.0, name=None):
        """Numbers times `scale`, plus `offset`: a Rescaling layer."""
        return _feature("float_rescaled", "float32", "float", name, Rescaling, scale=scale, offset=offset)

    @classmethod
    def float_normalized(cls, name=None):
        """Numbers less their mean and divided by their standard deviation: a Normalization layer."""
        return _feature("float_normalized", "float32", "float", name, Normalization, axis=-1)

    @classmethod
    def float_discretized(cls, num_bins, bin_boundaries=None, output_mode="one_hot", name=None):
        """Numbers as one of `num_bins` ranges, between boundaries given or learned: a Discretization layer."""
        options = {"num_bins": num_bins, "bin_boundaries": bin_boundaries}
        return _feature("float_discretized", "float32", output_mode, name, Discretization, **options)

    @classmethod
    def integer_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Integers of a vocabulary: an IntegerLookup layer with these arguments."""
        options = {"max_tokens": max_tokens, "num_oov_indices": num_oov_indices}
        return _feature("integer_categorical", "int64", output_mode, name, IntegerLookup, **options)

    @classmethod
    def string_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Text of a vocabulary: a StringLookup layer with these arguments."""
        options = {"max_tokens": max_tokens, "num_oov_indices": num_oov_indices}
        return _feature("string_categorical", "string", output_mode, name, StringLookup, **options)

    @classmethod
    def string_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Text as one of `num_bins` hashes: a Hashing layer."""
        return _feature("string_hashed", "string", output_mode, name, Hashing, num_bins=num_bins)

    @classmethod
    def integer_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Integers as one of `num_bins` hashes: a Hashing layer."""
        return _feature("integer_hashed", "int64", output_mode, name, Hashing, num_bins=num_bins)

    # --- adapt --------------------------------------------------------------------------------------------

    def _adaptable(self):
        """The names of the features whose layers take their state from data."""
        return [
            name
            for name, layer in self.preprocessors.items()
            if hasattr(layer, "adapt") and getattr(layer, "input_mean", None) is None
        ]

    def adapt(self, dataset):
        """Has each layer that needs it take its state from data.

        Args:
          dataset: `tf.data.Dataset` of dicts of the features, samples or batches.

        Raises:
          ValueError: it is something else.
        """
        from tfcompat.data import Dataset  # not at the top: files may name a FeatureSpace where tf.data is not used

        if not isinstance(dataset, Dataset):
            raise ValueError(
                "`adapt()` can only be called on a tf.data.Dataset. Received instead: "
                f"{dataset} (of type {type(dataset)})"
            )
        for name in self._adaptable():
            column = dataset.map(lambda x, name=name: x[name])
            rank = [x.shape.rank for x in column.take(1)][-1]
            if rank == 0:
                column = column.batch(32)
            if rank in (0, 1):
                column = column.map(lambda x: expand_dims(x, -1))
            self.preprocessors[name].adapt(column)
        self._is_adapted = True
        self.get_encoded_features()
        self.built = True

    def _check_adapted(self):
        if not self._is_adapted and self._adaptable():
            raise ValueError(
                "You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it."
            )
        self._is_adapted = True

    def _check_built(self):
        if not self.built:
            self._check_adapted()
            self.get_encoded_features()
            self.built = True

    # --- calls --------------------------------------------------------------------------------------------

    def get_inputs(self):
        """The dict of KerasTensors that a model with the features begins with; ValueError before `adapt`."""
        self._check_built()
        return self.inputs

    def get_encoded_features(self):
        """The KerasTensor, or dict of them, that `get_inputs` become; ValueError before `adapt`."""
        self._check_adapted()
        if self.encoded_features is None:
            self.encoded_features = self._encoded(self.inputs)
        return self.encoded_features

    def _encoded(self, values) -> Any:
        """What is returned for a dict of batches with one column each."""
        prepared = {name: self.preprocessors[name](value) for name, value in values.items()}
        crossed = {
            cross.name: self.crossers[cross.name]([prepared[name] for name in cross.feature_names])
            for cross in self.crosses
        }
        if not self.built:
            self._make_encoders(prepared, self.features, self.preprocessors)
            self._make_encoders(crossed, self.crosses_by_name, self.crossers)
        encoded = {
            name: self.one_hot_encoders[name](value[name]) if name in self.one_hot_encoders else value[name]
            for value, names in ((prepared, self.features), (crossed, self.crosses_by_name))
            for name in sorted(names)
        }
        if self.output_mode == "dict":
            return encoded
        if self.concat is None:
            for name, value in encoded.items():
                dtype = value.dtype.name
                if dtype.startswith("int") or dtype == "string":
                    raise ValueError(
                        f"Cannot concatenate features because feature '{name}' has not been encoded (it has dtype "
                        f"{dtype}). Consider using `output_mode='dict'`."
                    )
            self.concat = Concatenate(axis=-1)
        return self.concat(list(encoded.values()))

    def _make_encoders(self, values, specs, layers):
        """Makes the layers that encode categories, by the names of features or crosses."""
        for name in sorted(values):
            if specs[name].output_mode != "one_hot":
                continue
            dtype = values[name].dtype.name
            if not dtype.startswith("int"):
                raise ValueError(
                    f"Feature '{name}' has `output_mode='one_hot'`. Thus its preprocessor should return an int64 "
                    f"dtype. Instead it returns a {dtype} dtype."
                )
            size = next((size for cls, size in _SIZES.items() if isinstance(layers[name], cls)), None)
            if size is None:
                raise ValueError(
                    f"Feature '{name}' has `output_mode='one_hot'`. However it isn't a standard feature and the "
                    "dimensionality of its output space is not known, thus it cannot be one-hot encoded. Try using "
                    "`output_mode='int'`."
                )
            tokens = size(layers[name])
            if tokens is not None:
                self.one_hot_encoders[name] = CategoryEncoding(num_tokens=tokens, output_mode="multi_hot")

    def __call__(self, data):
        """The features of a sample or a batch.

        Args:
          data: dict with a value for each feature: a scalar, vector or matrix of one column, as an array, a tensor, or
            a KerasTensor.

        Returns:
          Vector for a sample and matrix for a batch; or a dict of these.

        Raises:
          ValueError: `adapt` was not called, or `data` is no dict.
          KeyError: there are other names in it than those of the features.
        """
        self._check_built()
        if not isinstance(data, dict):
            raise ValueError(
                f"A FeatureSpace can only be called with a dict. Received: data={data} (of type {type(data)}"
            )
        batch, is_sample = {}, False
        for name, value in data.items():
            if not isinstance(value, KerasTensor):
                value = convert_to_tensor(value)
            rank = value.shape.rank
            is_sample = is_sample or rank == 0
            batch[name] = reshape(value, [1, 1]) if rank == 0 else expand_dims(value, -1) if rank == 1 else value
        encoded = self._encoded(batch)
        if not is_sample:
            return encoded
        if self.output_mode == "concat":
            return squeeze(encoded, axis=0)
        return {
            name: squeeze(value, axis=0) if value.shape.rank == 2 and value.shape[0] == 1 else value
            for name, value in encoded.items()
        }

    # --- configuration and files --------------------------------------------------------------------------

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {
            "features": {name: _written(feature) for name, feature in self.features.items()},
            "output_mode": self.output_mode,
            "crosses": [_written(cross) for cross in self.crosses],
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    @classmethod
    def from_config(cls, config):
        """The FeatureSpace that `config`, from `get_config`, describes, not adapted."""
        return cls(**config)

    def get_build_config(self):
        """What `build_from_config` needs: a dict of what the layers of the features do."""
        return {name: layer.get_build_config() for name, layer in self.preprocessors.items()}

    def build_from_config(self, config):
        """Builds the layers of the features that are not, and takes them for adapted."""
        for name, build_config in config.items():
            if build_config is not None and not self.preprocessors[name].built:
                self.preprocessors[name].build_from_config(build_config)
        self._is_adapted = True

    def save(self, filepath):
        """Writes a `.keras` file, which `tf.keras.models.load_model` reads.

        Raises:
          ValueError: `filepath` has another ending.
        """
        save_model(self, filepath, save_format="keras")
