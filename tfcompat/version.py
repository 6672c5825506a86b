"""`tf.version`: the TensorFlow release whose API and numbers tfcompat follows, and tfcompat's own version."""
from tfcompat._version import __version__ as TFCOMPAT_VERSION

# Scripts compare this with TensorFlow's releases; the local part says what answers.
VERSION = f"2.21.0+tfcompat.{TFCOMPAT_VERSION}"
GIT_VERSION = COMPILER_VERSION = f"tfcompat {TFCOMPAT_VERSION}"
GRAPH_DEF_VERSION = 0
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
