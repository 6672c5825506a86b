"""When to fuse what is pending into one program, and when to run it operation by operation.

All numbers that steer the engine are here. Costs are estimates in milliseconds for XLA on a CPU.
"""

MAX_PENDING = 2000          # last resort against loops without a natural cut
LOOK_FOR_LOOP = 500         # operations after which, again and again, a loop is looked for
MAX_ROLLED = 1 << 17        # operations pending in a loop that is compiled as one loop
MAX_PERIOD = 160            # operations in a turn of a loop that is recognised
MAX_PROGRAMS = 1024         # compiled programs kept
MAX_RECOGNISED = 2000       # operations of a structure that is recognised without being encoded
MAX_ALIKE = 8               # structures of the same calls that are compared
MAX_CAPTURED = 4096         # operations made of captured graphs kept
HOT_TURNS = 5000            # of a loop, after which they are to be gathered:
GATHER_AFTER = 5000         # turns later, since a program is compiled meanwhile,
GATHERED_TURNS = 64         # so many turns,
GATHERED = 500              # of so many operations in all, become one program,
GATHERED_WORK = 1e6         # if a turn computes no more numbers than this
GATHERINGS = 8              # programs made of turns of one loop
AT_ONCE = 4                 # operations of a function from which on it runs when it is called
LOOKS = 300                 # for a result, of 0.2 µs each, before Python's thread sleeps until it is there
CREDIT = 16                 # fused programs compiled in advance of their first reuse; one counts for more
LARGE_PROGRAM = 250.0       # for each time that it takes so long to compile,
MAX_CHARGE = 3              # up to so much
SOON = 16                   # programs between two runs of one that is in a loop
OFTEN = 16                  # runs of a program that is not
KERNEL_COMPILE = 25.0       # one operation by itself,
HOST_TRACE = 3.0            # and where the host computes it for a new shape
SHAPES_COMPILED = 4         # kernels of an operation, after which other shapes
FAMILY = 4                  # shapes of an operation, after which it is traced for sizes that are symbols,
FAMILIES = 8                # so many times at most
HOST_ELEMENTS = 1 << 18     # of so few numbers, arguments and results, are computed by the host,
HOST_RUNS = 256             # so many times, of 0.1 ms each, before they are compiled, and less often
HOST_STEP = 1 << 14         # for each so many numbers
PROGRAM_COMPILE = 40.0      # a fused program: this much,
PER_OPERATION = 2.5         # and this much for each operation

HOT_RUNS = 3                # of a program, before which it is not compiled fully in the background
MAX_QUICK_RUNS = 64         # of a program before the fully compiled code is used
IN_PIECES_FROM = 64         # run from which on a program takes its memory in pieces, if it takes much
EQUATION_COMPILE = 2.0      # what full compilation takes longer for each equation of a program
EQUATION_RUN = 1e-3         # what quickly compiled code takes longer for an equation,
TURN_RUN = 5e-3             # for one inside of a loop, each turn,
ELEMENT_RUN = 6e-7          # and for each element that is a sum
UNKNOWN_TURNS = 1000        # of a loop whose length is known when it runs

ROLLED_TURNS = 8            # turns of a loop that are compiled as one loop
ROLLED_STEPS = 96           # and operations in all of them
CUT_COMPILE = 15.0          # a value that something outside the loop wants of a single turn
FREE_CUTS = 16              # this many of them are no reason to compile all turns
ROLLED_BYTES = 1 << 24      # of values from outside stacked up for it
STEPS_IN_A_TURN = 16        # shorter turns are done several at a time

_credit = CREDIT


def period(calls):
    """How many operations a turn of the loop has in whose middle the list `calls` was recorded; 0 if there is none.

    Three turns must be alike. What came before the loop, or comes after it, does not matter.
    """
    middle = len(calls) // 2
    for turn in range(1, min(MAX_PERIOD, middle // 3) + 1):
        if calls[middle] is calls[middle - turn] and all(
            calls[i] is calls[i - turn] for i in range(middle, middle - 2 * turn, -1)
        ):
            return turn
    return 0


def fuse(sightings, distance, calls, on_host):
    """Whether to compile a structure about to run, rather than run its `calls` one by one.

    A new one is fused unless its kernels are warm, or so many fused programs have not been used twice (a compile storm:
    structures that never repeat, such as recursion over trees) that compiling the few missing kernels is the better
    investment: the more structures could have used a kernel, the more will. One that was run so before is fused where
    it comes again soon, as in a loop, or has come often.

    Args:
      sightings: how often it has come, this time included.
      distance: how many programs ago it came before.
      calls: list of its calls.
      on_host: function that tells whether the host computes a call of which there is no kernel.
    """
    if sightings > 1:
        return comes_often(sightings, distance)
    cold = {call for call in calls if call.kernel is None}
    if any(call.weight > 1 for call in cold):
        return True  # one of them is a program by itself
    in_storm = storm()
    one_by_one = sum(
        HOST_TRACE if on_host(call) else KERNEL_COMPILE / (1 + call.missed if in_storm else 1) for call in cold
    )
    if one_by_one < _fused(calls):
        return False
    for call in cold:
        call.missed += 1
    return True


def comes_often(sightings, distance):
    """Whether what came `sightings` times, the last time `distance` programs ago, is worth compiling."""
    return distance <= SOON or sightings >= OFTEN


def _fused(calls):
    """What the quick compilation of the `calls` in one program takes."""
    return PROGRAM_COMPILE + PER_OPERATION * sum([call.weight for call in calls])


def full_from(equations, turns, elements):
    """At which run a program first compiled quickly goes over to full code; 0 if it is to be compiled fully at once.

    Quick runs may lose what quick compilation has won. For the arguments see `tiers.cost`.
    """
    won = PROGRAM_COMPILE + EQUATION_COMPILE * equations
    lost = EQUATION_RUN * (equations + 1) + TURN_RUN * turns + ELEMENT_RUN * elements
    return min(int(won / lost), MAX_QUICK_RUNS) if won > HOT_RUNS * lost else 0


def hot_from(full_from):
    """From which run on a program is compiled fully in the background, so as to be ready at run `full_from`."""
    return max(HOT_RUNS, full_from // 4)


def roll(operations, cuts):
    """Whether not compiling `operations` one by one is worth cutting out values of single turns `cuts` times."""
    return cuts <= FREE_CUTS or cuts * CUT_COMPILE < operations * PER_OPERATION


def storm():
    """Whether structures have lately been compiled that did not come again."""
    return _credit <= 0


def _charge(calls):
    """What a program of these calls counts for."""
    return min(1 + int(_fused(calls) / LARGE_PROGRAM), MAX_CHARGE)


def compiled(calls):
    """A program of these calls was compiled: its cost is on credit until it is used again."""
    global _credit
    _credit -= _charge(calls)


def reused(calls):
    """A compiled program was used for the second time."""
    global _credit
    _credit = min(CREDIT, _credit + _charge(calls))
