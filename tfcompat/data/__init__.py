"""`tf.data`: input pipelines on the host."""

from tfcompat._package.missing import missing as _missing
from tfcompat.data import (  # noqa: F401
    _ahead,
    _auto_shard,
    _batches,
    _choose,
    _resample,
    _saved,
    _shuffle,
    _sources,
    _stateful,
    _transforms,
)
from tfcompat.data import experimental as experimental
from tfcompat.data._dataset import AUTOTUNE as AUTOTUNE
from tfcompat.data._dataset import INFINITE as INFINITE_CARDINALITY  # noqa: F401
from tfcompat.data._dataset import UNKNOWN as UNKNOWN_CARDINALITY  # noqa: F401
from tfcompat.data._dataset import Dataset as Dataset
from tfcompat.data._dataset_spec import DatasetSpec as DatasetSpec
from tfcompat.data._iterator import Iterator as Iterator
from tfcompat.data._iterator import IteratorSpec as IteratorSpec
from tfcompat.data._iterator import NumpyIterator as NumpyIterator
from tfcompat.data._options import Options as Options
from tfcompat.data._options import ThreadingOptions as ThreadingOptions
from tfcompat.data._readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from tfcompat.data._readers import TextLineDataset as TextLineDataset
from tfcompat.data._readers import TFRecordDataset as TFRecordDataset

__getattr__ = _missing("tf.data")
