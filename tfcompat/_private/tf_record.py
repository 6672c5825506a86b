"""tensorflow/python/lib/io/tf_record.py."""
from tfcompat.compat._v1_functions import tf_record_iterator as tf_record_iterator
