"""`tf.profiler.experimental`: JAX's profiler, whose traces TensorBoard shows."""

from tfcompat._package.missing import missing as _missing
from tfcompat.profiler._session import Profile as Profile
from tfcompat.profiler._session import ProfilerOptions as ProfilerOptions
from tfcompat.profiler._session import Trace as Trace
from tfcompat.profiler._session import start as start
from tfcompat.profiler._session import stop as stop

__getattr__ = _missing("tf.profiler.experimental", otherwise="jax.profiler.start_server and TensorBoard")
