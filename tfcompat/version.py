"""`tf.version`: the TensorFlow release whose API and numbers tfcompat follows, and tfcompat's own version."""
from tfcompat._version import __version__ as TFCOMPAT_VERSION

VERSION = "2.21.0"  # which scripts take apart and compare with TensorFlow's releases
GIT_VERSION = COMPILER_VERSION = f"tfcompat {TFCOMPAT_VERSION}"
GRAPH_DEF_VERSION = 0
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
