"""tensorflow/core/protobuf: config_pb2.py, rewriter_config_pb2.py."""
from tfcompat.compat._sessions import ConfigProto as ConfigProto
from tfcompat.compat._sessions import GPUOptions as GPUOptions
from tfcompat.compat._sessions import GraphOptions as GraphOptions
from tfcompat.compat._sessions import OptimizerOptions as OptimizerOptions
from tfcompat.compat._sessions import RewriterConfig as RewriterConfig
