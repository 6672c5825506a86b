"""`tf.train.Example` and its parts.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/example/feature.proto

Fields are filled by the constructor, or changed in place: `example.features.feature["x"].int64_list.value.append(3)`.
"""

from tfcompat._formats.protobuf import Message


class BytesList(Message):
    """A list of bytes. TF: `tf.train.BytesList`."""

    NAME = "tensorflow.BytesList"
    FIELDS = ((1, "value", ["bytes"]),)


class FloatList(Message):
    """A list of float32 numbers. TF: `tf.train.FloatList`."""

    NAME = "tensorflow.FloatList"
    FIELDS = ((1, "value", ["float"]),)


class Int64List(Message):
    """A list of int64 numbers. TF: `tf.train.Int64List`."""

    NAME = "tensorflow.Int64List"
    FIELDS = ((1, "value", ["int64"]),)


class Feature(Message):
    """One of a BytesList, FloatList and Int64List. TF: `tf.train.Feature`."""

    NAME = "tensorflow.Feature"
    FIELDS = (
        (1, "bytes_list", BytesList, "kind"),
        (2, "float_list", FloatList, "kind"),
        (3, "int64_list", Int64List, "kind"),
    )


class Features(Message):
    """Features by name. TF: `tf.train.Features`."""

    NAME = "tensorflow.Features"
    FIELDS = ((1, "feature", {"string": Feature}),)


class FeatureList(Message):
    """A sequence of features. TF: `tf.train.FeatureList`."""

    NAME = "tensorflow.FeatureList"
    FIELDS = ((1, "feature", [Feature]),)


class FeatureLists(Message):
    """Sequences of features by name. TF: `tf.train.FeatureLists`."""

    NAME = "tensorflow.FeatureLists"
    FIELDS = ((1, "feature_list", {"string": FeatureList}),)


class Example(Message):
    """Features of one example; what files of records usually hold. TF: `tf.train.Example`."""

    NAME = "tensorflow.Example"
    FIELDS = ((1, "features", Features),)


class SequenceExample(Message):
    """An example with sequences of features. TF: `tf.train.SequenceExample`."""

    NAME = "tensorflow.SequenceExample"
    FIELDS = ((1, "context", Features), (2, "feature_lists", FeatureLists))
