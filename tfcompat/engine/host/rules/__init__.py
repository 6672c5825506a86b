"""How NumPy computes each primitive, as XLA does on a CPU.

`rules[name](params, in_avals, out_avals)` gives a function of the arrays of one equation. Parameters and avals have
numbers for sizes. The function takes and returns NumPy arrays, or NumPy scalars for what has no axes, of exactly the
dtypes and shapes of the avals; several results come as a list. Results may be views of arguments, and arguments are
never written to.

Primitives of other modules have their rules beside them: they add to `rules`, or to `same_as`.
"""

from tfcompat.engine.host.rules import (
    control_flow,
    cumulative,
    elementwise,
    fourier,
    indexing,
    linear_algebra,
    moves,
    products,
    reductions,
    sorting,
    special,
    windows,
)
from tfcompat.engine.host.rules.registry import Unknown as Unknown
from tfcompat.engine.host.rules.registry import by_tracing as by_tracing
from tfcompat.engine.host.rules.registry import named as named
from tfcompat.engine.host.rules.registry import plain as plain
from tfcompat.engine.host.rules.registry import rules as rules
from tfcompat.engine.host.rules.registry import same_as as same_as
from tfcompat.engine.host.rules.registry import twin as twin
from tfcompat.engine.host.rules.registry import twins as twins

for _kind in (
    control_flow, cumulative, elementwise, fourier, indexing, linear_algebra, moves, products, reductions, sorting,
    special, windows,
):  # fmt: skip
    rules.update(_kind.RULES)
