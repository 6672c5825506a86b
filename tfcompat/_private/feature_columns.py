"""tensorflow/python/feature_column: feature_column_lib.py, feature_column_v2.py, serialization.py."""
import tfcompat as _tf
from tfcompat.feature_column._column import COLUMNS as _COLUMNS
from tfcompat.feature_column._column import CategoricalColumn as CategoricalColumn
from tfcompat.feature_column._column import DenseColumn as DenseColumn
from tfcompat.feature_column._column import FeatureColumn as FeatureColumn
from tfcompat.feature_column._column import serialized as _serialized
from tfcompat.layers._dense_features import columns_of as _columns_of


def is_feature_column_v2(feature_columns):
    """Whether all of these are columns as `tf.feature_column` makes them."""
    return all(isinstance(column, FeatureColumn) for column in feature_columns)


def serialize_feature_column(fc):
    """A column as a dict of its class's name and its configuration; text stays text."""
    if isinstance(fc, str):
        return fc
    if not isinstance(fc, FeatureColumn):
        raise ValueError(f"Instance: {fc} is not a FeatureColumn")
    return _serialized(fc)


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column that `serialize_feature_column` described, or one of its class and name from `columns_by_name`."""
    if isinstance(config, str):
        return config
    if not isinstance(config, dict) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    if config["class_name"] not in _COLUMNS:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    (column,) = _columns_of([config], custom_objects)
    known = {} if columns_by_name is None else columns_by_name
    return known.setdefault(f"{type(column).__name__}:{column.name}", column)


def serialize_feature_columns(feature_columns):
    """List of the dicts of columns."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_columns(configs, custom_objects=None):
    """List of the columns of such dicts. Those of equal class and name are one."""
    known = {}
    return [deserialize_feature_column(config, custom_objects, known) for config in configs]


def __getattr__(name):
    return _COLUMNS[name] if name in _COLUMNS else getattr(_tf.compat.v1.feature_column, name)
