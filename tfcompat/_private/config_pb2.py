"""tensorflow/core/protobuf: config_pb2.py, rewriter_config_pb2.py."""
from tfcompat.compat._config_messages import ConfigProto as ConfigProto
from tfcompat.compat._config_messages import GPUOptions as GPUOptions
from tfcompat.compat._config_messages import GraphOptions as GraphOptions
from tfcompat.compat._config_messages import OptimizerOptions as OptimizerOptions
from tfcompat.compat._config_messages import RewriterConfig as RewriterConfig
