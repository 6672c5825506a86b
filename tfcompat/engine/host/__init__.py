"""What NumPy computes in the place of XLA: plans, made of the rules for single primitives."""

from tfcompat.engine.host.kernel import Kernel as Kernel
from tfcompat.engine.host.kernel import always as always
from tfcompat.engine.host.kernel import computes as computes
from tfcompat.engine.host.kernel import is_short as is_short
from tfcompat.engine.host.kernel import kernel_of as kernel_of
from tfcompat.engine.host.kernel import preparation as preparation
from tfcompat.engine.host.plan import Plan as Plan
from tfcompat.engine.host.rules import Unknown as Unknown
from tfcompat.engine.host.rules import by_tracing as by_tracing
from tfcompat.engine.host.rules import named as named
from tfcompat.engine.host.rules import plain as plain
from tfcompat.engine.host.rules import rules as rules
from tfcompat.engine.host.rules import same_as as same_as
from tfcompat.engine.host.rules import twin as twin
from tfcompat.engine.host.rules.control_flow import TooLong as TooLong
