"""The numbers that steer execution, and the rules that they make: what is compiled, when, and how.

Every number is a field of one of the frozen dataclasses below, with its unit and the measurement or the reason behind
it. There is one instance of each; the engine, the storeys above it and the C twins read these. Times are estimates for
XLA on a CPU. `benchmarks/results/notes.md` has the measurements at length.
"""
from dataclasses import dataclass

_numbers = dataclass(frozen=True, slots=True, kw_only=True)


@_numbers
class Recording:
    """What may be pending, and what is known of calls."""

    max_pending: int = 2000         # operations; XLA's time grows faster than a program: the last resort without a cut
    loop_check: int = 500           # operations between two looks for a loop in what is pending
    max_period: int = 160           # operations of an iteration; the search for one grows with this
    max_rolled: int = 1 << 17       # operations; what compiles as one loop may stay pending longer, but takes memory
    at_once: int = 4                # operations of a tf.function that runs when called; fewer are best fused
    polls: int = 300                # of 0.2 µs; a thread that sleeps wakes up late, to cold caches (149 -> 121 µs)
    host_size: int = 64             # elements; integers up to this size are shapes and axes, which Python needs at once
    large_size: int = 1024          # elements; from here on arrays move to the device for good, and may be donated
    max_known_calls: int = 1024     # for each op, combinations of static arguments found without binding again
    checked_at_once: int = 8192     # elements that are known; NumPy checks them before a program would (15 µs)
    folded: int = 10_000            # elements that constants decide, computed while a graph of TensorFlow 1 is built
    report: int = 12                # numbers of a broken condition: which, where, and values there
    replicas_patience: float = 300.0  # s that a thread waits for a value that replicas combine
    gathered: int = 1024            # of a strategy: kinds and sizes of values that replicas have gathered
    recent_calls: int = 4           # of each op in C, found by address without hashing; a power of two


@_numbers
class Keeping:
    """How much is remembered of what was seen; bounds on memory, never reached by an ordinary program."""

    programs: int = 1024            # programs, most of them interpreted
    executables: int = 320          # that are compiled; each takes 1.5 MB, however small it is
    replicated: int = 1 << 12       # bytes of an array whose copies on all devices are held to be used again
    joined: int = 1 << 16           # elements of a result of replicas that is held to be used again; not given up
    compared: int = 64              # elements of arrays of replicas on the host that are compared, to send one of them
    puts: int = 64                  # shapes and dtypes of which copying to the device may be compiled
    calls: int = 4096               # and all that are in use besides
    values: int = 8192              # shapes with dtypes, and static attributes; and all that are in use besides
    recognised: int = 2000          # operations of a structure that is recognised without being encoded
    same_calls: int = 8             # structures, or backward walks, of the same calls, compared one after the other
    long_structures: int = 64       # longer than `max_pending`, of which it is known whether they roll up
    captured: int = 1024            # operations made of captured graphs
    made: int = 1024                # operations of a kind that are made of others: loops, branches, jacobians
    traces: int = 4096              # expressions of sizes
    jaxprs: int = 64                # of single operations, until their plans are made
    families: int = 4096            # of calls; and all that are in use besides
    texts: int = 20_000             # families of calls on disk
    own_texts: int = 2_000          # calls in no family on disk
    longest_text: int = 1 << 16     # characters of what is kept of one of these
    constant: int = 64              # elements of a constant in the text of a plan
    module_equations: int = 16      # of a program from which on its module is kept on disk
    walks: int = 1024               # backward walks, and operations made of them


@_numbers
class Compiling:
    """When what NumPy interprets is worth compiling."""

    kernel: float = 25.0            # ms for one operation by itself
    program: float = 40.0           # ms for a program, however small, compiled quickly
    operation: float = 2.5          # ms more for each of its operations
    plan_steps: float = 1.4         # of an operation whose plan is known, that take as long as an operation without
    step: float = 1.0               # ms more for each step of the plan of an operation with loops
    arrays: int = 8                 # inputs and results of a call that count as an operation: tf.unstack to 5,000 rows
    share: float = 0.5              # of the compilation that interpretation may take before the program is compiled
    puts: int = 1000                # copies of small arrays of a shape to the device before that is compiled (30 ms)
    prepared: int = 2               # part of the interpreted runs after which it is compiled in the background
    least_prepared: int = 4         # run before which nothing is: most programs run once


@_numbers
class Tiers:
    """When a program that was compiled quickly is compiled fully."""

    hot_runs: int = 3               # runs before which nothing is compiled in the background: most programs run once
    max_quick_runs: int = 64        # runs of quick code at most: estimates of small losses may be wrong
    in_pieces_from: int = 64        # run from which on a program takes its memory in pieces: it is compiled once more
    equation_compile: float = 2.0   # ms that full compilation takes longer for each equation
    equation_run: float = 1e-3      # ms that quick code takes longer for each equation
    iteration_run: float = 5e-3     # ms that it takes longer for each equation in a loop, each iteration
    element_run: float = 6e-7       # ms that it takes longer for each element that is a sum
    unknown_length: int = 1000      # iterations that a loop counts as whose length is known when it runs


@_numbers
class Rolling:
    """Which iterations in a program are compiled as one `lax.scan`."""

    min_iterations: int = 8         # fewer compile as fast in a row
    long: int = 4000                # operations of a program that is compiled for what is left when it is rolled up
    min_operations: int = 96        # in all iterations; fewer compile as fast in a row
    min_saving: int = 4             # times shorter that a program must become to stay pending for longer
    candidates: int = 8             # distances at which a call recurs that are tried as the length of an iteration
    max_delay: int = 3              # iterations back from which one may take values: each is carried by all iterations
    cut_compile: float = 15.0       # ms for a value of a single iteration that something outside the loop wants
    free_cuts: int = 16             # such values that are no reason to compile all iterations
    max_stacked: int = 1 << 24      # bytes of values from outside that are stacked, which is a copy
    step_operations: int = 16       # operations in a step of the scan; shorter iterations are unrolled up to this


@_numbers
class Unrolling:
    """When several iterations of a small hot loop become one program. A run costs 50 µs of Python, however small."""

    hot_iterations: int = 5000      # before a loop is unrolled: compiling costs 0.4 to 1.6 s and leaves 8 MB behind
    compile_iterations: int = 5000  # that the program has to compile in the background; fixed, so that digits repeat
    iterations: int = 64            # in one program at most
    operations: int = 500           # in one program at most: more no longer fit the processor's first caches
    max_work: float = 1e6           # numbers computed in an iteration; larger ones are as fast as jax.jit by hand
    programs: int = 8               # made of one loop
    max_misses: int = 64            # times that there was no program for what was pending; then the loop is irregular


@_numbers
class Families:
    """Calls that differ in sizes alone, traced once with symbols in place of sizes."""

    symbols: int = 16               # sizes of one call that are symbols; further ones are part of the family
    least_size: int = 4             # from which on integers among the attributes may be symbols; smaller ones are axes
    attempts: int = 8               # of an operation that fail, since sizes must be known, before there are no more


@_numbers
class Host:
    """What NumPy takes to interpret a call."""

    trace: float = 1.0              # ms to trace an operation of an unknown family: 4, which other sizes share
    plan: float = 0.1               # ms to take the plan of a known one for other sizes
    call: float = 0.02              # ms to run a call of which nothing is known
    step: float = 2e-3              # ms for each step of its plan
    twin: float = 0.025             # ms more for a step that is the twin of a function
    copied: int = 4096              # elements that are repeated by a copy sooner than by a view
    short: float = 0.1              # ms of a call of a graph that is played, up to which it is never compiled
    sizes: int = 4096               # combinations of sizes for which such a call is known
    element: float = 1e-6           # ms for each element that a step computes, as long as a sum
    least_product: int = 1 << 13    # multiplications from which on OpenBLAS takes threads, which wait by spinning
    most_product: int = 1 << 26     # up to which one thread computes a product of matrices: 4 ms
    few: int = 1024                 # elements of erf and lgamma computed one by one, without SciPy (0.2 s to import)


@_numbers
class Memory:
    """What stays with the process. Memory fresh from the system costs up to a third of a step."""

    largest_kept: int = 1 << 30     # bytes of a piece; a larger one goes back to the system
    largest_heap: int = 1 << 26     # bytes of a thread's heap in glibc (HEAP_MAX_SIZE)
    largest_piece: int = 1 << 25    # bytes of a program's intermediate values; half a heap, so none is nearly empty
    most_kept: int = 1 << 31        # bytes of one program's intermediate values, in the heaps of all threads
    disk_cache: int = 1 << 30       # bytes of compiled programs on disk, the oldest deleted first


@_numbers
class Reporting:
    """What is said, and how much is noted for it."""

    programs_at_a_line: int = 8     # compiled at one line of the user's before a warning that a loop keeps compiling
    patience: float = 5.0           # s of one compilation, after which a line says that nothing hangs
    compared: int = 16              # recent programs that a new one is compared with
    traces: int = 20                # recent traces of a function that a new one is compared with
    history: int = 200_000          # operations whose origin is kept while debugging
    reports: int = 2_000            # reports on conditions that are kept while debugging
    path_search: int = 100_000      # nodes looked at for a path from a target to a source
    table_rows: int = 20            # of a table of times
    boxes: int = 60                 # of a drawing; more are unreadable
    arrows: int = 3                 # from one variable of a drawing; with more, each use is named in place


@_numbers
class Tape:
    """Backward walks and jacobians."""

    max_records: int = 400          # of a walk in one program: XLA's time grows faster than a program
    segment: int = 200              # records in a piece of a longer walk, about
    separate_rows: int = 16         # of a jacobian derived one by one under another tape (4.7 -> 1.7 ms for two)
    separate_operations: int = 128  # in all these rows: compilation grows with them
    custom_order: int = 4           # of derivatives of custom gradients made of custom gradients; each traces once more
    taylor_order: int = 10          # of directional derivatives; Taylor mode costs the square of the order


@_numbers
class Functions:
    """`tf.function`."""

    plain_calls: int = 1024         # combinations of arguments, for each function, that are found without a signature
    traces_with_constants: int = 4  # that have Python numbers as constants; later ones take them as inputs
    unfit_unknown: int = 4          # unknown sizes of a call that fails for symbols; with more it is not tried
    unfit_small: tuple = tuple(range(1, 33))  # sizes that it is tried with
    unfit_free: tuple = (1, 5040)   # what fits by broadcasting; what many numbers divide and few windows exceed
    unfit_hidden: tuple = (3, 4)    # what ops themselves ask for: channels of colours, corners of boxes
    unfit_largest: int = 10**7      # size that it is tried with
    compared_calls: int = 8         # whose shapes tell with reduce_retracing which sizes are unknown or equal
    known_turns: int = 16384        # of a loop in which numbers computed from its own are followed
    traces_by_value: int = 64       # for values of integer tensors; then the function runs as Python


@_numbers
class WhileLoops:
    """Loops of unknown length that are differentiated: which of their states are kept."""

    bytes_kept: int = 1 << 26       # of states
    least_kept: int = 16            # states, however large: fewer compute too much again
    most_kept: int = 256            # states, however small: more save nothing
    scan_length: int = 64           # iterations of each of the nested scans of a second derivative
    scan_levels: int = 3            # of them: 64 ** 3 = 262,144 iterations, beyond which second derivatives are nan


@_numbers
class Datasets:
    """`tf.data`."""

    shapes_at_once: int = 3         # shapes of elements for which a mapped function is compiled as soon as they come
    elements_of_a_shape: int = 16   # of another shape before it is compiled for it: as many calls as compiling costs
    block: int = 64                 # elements computed together: a call of a program costs more than most functions
    block_bytes: int = 32 << 20     # of a block at most
    ahead: int = 4                  # elements computed in advance by a prefetch of AUTOTUNE
    file_elements: int = 1024       # of a file of a saved dataset


@_numbers
class Kernels:
    """Which of several ways computes an op faster on a CPU."""

    few_channels: int = 16          # of a convolution in float64, for which XLA has no library code
    few_groups: int = 32            # of a convolution, convolved one by one (16 x 28 x 28 x 128: 183 -> 27 ms)
    transposed: int = 1 << 18       # elements of an operand that a product over rows may transpose, and keep both
    transposed_rows: int = 512      # up to which that is faster (10,000 x 20: 2.9 times slower)
    patches: int = 1 << 25          # bytes of products for the image of a strided window; more memory is not kept
    window_slices: int = 16         # length of windows pooled as elementwise work, backwards 5 to 20 times faster
    one_draw: int = 1 << 18         # random numbers; all threads draw more of them faster, although several times
    draws_in_python: int = 12       # blocks of four words up to which Python computes as fast as NumPy
    few_classes: int = 128          # of tf.random.categorical, compared one with all; more are searched
    host_parameters: int = 4        # numbers in a seed, a state or a bound that an initial value is drawn from by NumPy
    initial_values: int = 1 << 20   # elements of an initial value drawn by NumPy; for more XLA's code is worth its time
    host_numbers: int = 64          # in a computation of sizes with floats, which the host does while tracing
    static_indices: int = 4         # numbers that index one place of a program; later ones are inputs, as in a loop
    index_keys: int = 4096          # forms of indexing remembered
    sine_bytes: int = 1 << 14       # of an array whose sine is written out; below, the C library is as fast
    largest_angle: float = 1e6      # whose sine is exact with pi in three parts
    short_axis: int = 32            # elements below which argmax finds place and value together
    dense_resize: int = 1 << 20     # weights of a resized axis, up to which it is a matrix product; else a gather


RECORDING, KEEPING, COMPILING, TIERS, ROLLING = Recording(), Keeping(), Compiling(), Tiers(), Rolling()
UNROLLING, FAMILIES, HOST, MEMORY, REPORTING = Unrolling(), Families(), Host(), Memory(), Reporting()
TAPE, FUNCTIONS, WHILE_LOOPS, DATASETS, KERNELS = Tape(), Functions(), WhileLoops(), Datasets(), Kernels()


def period(calls):
    """How many operations an iteration of the loop has that was recorded in the middle of the list `calls`.

    Three iterations must be equal. What was recorded before the loop and after it does not matter.

    Returns:
      int; 0 if there is no loop.
    """
    middle = len(calls) // 2
    for length in range(1, min(RECORDING.max_period, middle // 3) + 1):
        if calls[middle] is calls[middle - length] and all(
            calls[i] is calls[i - length] for i in range(middle, middle - 2 * length, -1)
        ):
            return length
    return 0


def interpreted_runs(prepare, run, operations):
    """How often a structure is interpreted before it is compiled; 0 to compile it at once.

    It depends on what is computed, never on the clock.

    Args:
      prepare: milliseconds for plans that are not there yet.
      run: milliseconds to interpret it once.
      operations: how many there are to compile.
    """
    compilation = COMPILING.program + COMPILING.operation * operations
    if prepare + run >= compilation:
        return 0
    return max(int(COMPILING.share * compilation / max(run, HOST.step)), 1)


def prepared_from(runs):
    """The run at which a structure that is interpreted for `runs` is compiled in the background."""
    return max(COMPILING.least_prepared, runs // COMPILING.prepared)


def full_from(equations, iterations, elements):
    """The run from which on a program, first compiled quickly, uses full code; 0 to compile it fully at once.

    Quick runs may lose the time that quick compilation has saved. For the arguments see `tiers.Facts`.
    """
    saved = COMPILING.program + TIERS.equation_compile * equations
    lost = TIERS.equation_run * (equations + 1) + TIERS.iteration_run * iterations + TIERS.element_run * elements
    return min(int(saved / lost), TIERS.max_quick_runs) if saved > TIERS.hot_runs * lost else 0


def hot_from(full_from):
    """The run at which full compilation begins in the background, so that it is ready at run `full_from`."""
    return max(TIERS.hot_runs, full_from // 4)


def roll(operations, cuts):
    """Whether `cuts` values of single iterations cost less than compiling `operations` one by one."""
    return cuts <= ROLLING.free_cuts or cuts * ROLLING.cut_compile < operations * COMPILING.operation
