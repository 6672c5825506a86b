"""`tf.train`: checkpoints, in TensorFlow's own format."""
from tfcompat._formats.examples import BytesList as BytesList
from tfcompat._formats.examples import Example as Example
from tfcompat._formats.examples import Feature as Feature
from tfcompat._formats.examples import FeatureList as FeatureList
from tfcompat._formats.examples import FeatureLists as FeatureLists
from tfcompat._formats.examples import Features as Features
from tfcompat._formats.examples import FloatList as FloatList
from tfcompat._formats.examples import Int64List as Int64List
from tfcompat._formats.examples import SequenceExample as SequenceExample
from tfcompat._package.missing import missing as _missing
from tfcompat.distribute._cluster import ClusterSpec as ClusterSpec
from tfcompat.train import experimental as experimental
from tfcompat.train._average import ExponentialMovingAverage as ExponentialMovingAverage
from tfcompat.train._checkpoint import Checkpoint as Checkpoint
from tfcompat.train._coordinator import Coordinator as Coordinator
from tfcompat.train._manager import CheckpointManager as CheckpointManager
from tfcompat.train._options import CheckpointOptions as CheckpointOptions
from tfcompat.train._reading import list_variables as list_variables
from tfcompat.train._reading import load_checkpoint as load_checkpoint
from tfcompat.train._reading import load_variable as load_variable
from tfcompat.train._state import checkpoints_iterator as checkpoints_iterator
from tfcompat.train._state import get_checkpoint_state as get_checkpoint_state
from tfcompat.train._state import latest_checkpoint as latest_checkpoint
from tfcompat.train._view import CheckpointView as CheckpointView
from tfcompat.train._view import TrackableView as TrackableView

__getattr__ = _missing("tf.train", hints={"AdamOptimizer": "tf.keras.optimizers.Adam"})
