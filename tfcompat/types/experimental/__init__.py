"""`tf.types.experimental`: the types of functions, and how arguments of one's own classes tell theirs."""

from tfcompat._package.missing import missing as _missing
from tfcompat.function._tracing_types import AtomicFunction as AtomicFunction
from tfcompat.function._tracing_types import Callable as Callable
from tfcompat.function._tracing_types import ConcreteFunction as ConcreteFunction
from tfcompat.function._tracing_types import FunctionType as FunctionType
from tfcompat.function._tracing_types import PolymorphicFunction as PolymorphicFunction
from tfcompat.function._tracing_types import SupportsTracingProtocol as SupportsTracingProtocol
from tfcompat.function._tracing_types import TensorLike as TensorLike
from tfcompat.function._tracing_types import TraceType as TraceType
from tfcompat.types.experimental import distributed as distributed

GenericFunction = PolymorphicFunction
__getattr__ = _missing("tf.types.experimental")
