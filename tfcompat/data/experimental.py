"""`tf.data.experimental`: what is still of use, mostly as methods of `tf.data.Dataset` by now."""

from tfcompat._package.missing import missing as _missing
from tfcompat.data._dataset import AUTOTUNE as AUTOTUNE
from tfcompat.data._dataset import INFINITE as INFINITE_CARDINALITY  # noqa: F401
from tfcompat.data._dataset import UNKNOWN as UNKNOWN_CARDINALITY  # noqa: F401
from tfcompat.data._experimental import Counter as Counter
from tfcompat.data._experimental import DatasetInitializer as DatasetInitializer
from tfcompat.data._experimental import RandomDataset as RandomDataset
from tfcompat.data._experimental import Reducer as Reducer
from tfcompat.data._experimental import TFRecordWriter as TFRecordWriter
from tfcompat.data._experimental import assert_cardinality as assert_cardinality
from tfcompat.data._experimental import at as at
from tfcompat.data._experimental import bucket_by_sequence_length as bucket_by_sequence_length
from tfcompat.data._experimental import cardinality as cardinality
from tfcompat.data._experimental import choose_from_datasets as choose_from_datasets
from tfcompat.data._experimental import copy_to_device as copy_to_device
from tfcompat.data._experimental import dense_to_ragged_batch as dense_to_ragged_batch
from tfcompat.data._experimental import dense_to_sparse_batch as dense_to_sparse_batch
from tfcompat.data._experimental import enable_debug_mode as enable_debug_mode
from tfcompat.data._experimental import enumerate_dataset as enumerate_dataset
from tfcompat.data._experimental import from_list as from_list
from tfcompat.data._experimental import get_next_as_optional as get_next_as_optional
from tfcompat.data._experimental import get_single_element as get_single_element
from tfcompat.data._experimental import get_structure as get_structure
from tfcompat.data._experimental import group_by_reducer as group_by_reducer
from tfcompat.data._experimental import group_by_window as group_by_window
from tfcompat.data._experimental import ignore_errors as ignore_errors
from tfcompat.data._experimental import index_table_from_dataset as index_table_from_dataset
from tfcompat.data._experimental import load as load
from tfcompat.data._experimental import map_and_batch as map_and_batch
from tfcompat.data._experimental import pad_to_cardinality as pad_to_cardinality
from tfcompat.data._experimental import parallel_interleave as parallel_interleave
from tfcompat.data._experimental import parse_example_dataset as parse_example_dataset
from tfcompat.data._experimental import prefetch_to_device as prefetch_to_device
from tfcompat.data._experimental import rejection_resample as rejection_resample
from tfcompat.data._experimental import sample_from_datasets as sample_from_datasets
from tfcompat.data._experimental import save as save
from tfcompat.data._experimental import scan as scan
from tfcompat.data._experimental import shuffle_and_repeat as shuffle_and_repeat
from tfcompat.data._experimental import snapshot as snapshot
from tfcompat.data._experimental import table_from_dataset as table_from_dataset
from tfcompat.data._experimental import take_while as take_while
from tfcompat.data._experimental import unbatch as unbatch
from tfcompat.data._experimental import unique as unique
from tfcompat.data._features_dataset import make_batched_features_dataset as make_batched_features_dataset
from tfcompat.data._iterator import Optional as Optional
from tfcompat.data._options import AutoShardPolicy as AutoShardPolicy
from tfcompat.data._options import AutotuneAlgorithm as AutotuneAlgorithm
from tfcompat.data._options import AutotuneOptions as AutotuneOptions
from tfcompat.data._options import DistributeOptions as DistributeOptions
from tfcompat.data._options import ExternalStatePolicy as ExternalStatePolicy
from tfcompat.data._options import OptimizationOptions as OptimizationOptions
from tfcompat.data._options import ServiceOptions as ServiceOptions
from tfcompat.data._options import ThreadingOptions as ThreadingOptions
from tfcompat.data._readers import CsvDataset as CsvDataset
from tfcompat.data._readers import make_csv_dataset as make_csv_dataset
from tfcompat.data._transforms import SHARD_HINT as SHARD_HINT

__getattr__ = _missing(
    "tf.data.experimental",
    hints={
        "service": "Dataset.shard, and a process of its own for each host",
        "SqlDataset": "tf.data.Dataset.from_generator over rows of the sqlite3 module",
        "make_saveable_from_iterator": "tf.train.Checkpoint(iterator=iterator)",
    },
)
