"""Long processes: does memory, or the time of a turn, grow with the number of turns?

    python -m benchmarks.soak [--scale 0.01] [--kinds steps structures programs functions models iterators cells]

Each kind runs in a process of its own. The table says how much more is resident than before the first turn, after a
half of the turns and after all of them, once freed memory is given back to the system, and how much processor time a
turn of the first quarter and of the last one took. TFCOMPAT_TIERS=compiled compiles all that is otherwise interpreted.
"""

import argparse
import pathlib
import subprocess
import sys
import time

import numpy as np


def steps(tf):
    """Steps of a training loop; one loss in a hundred is read."""
    weight = tf.Variable(np.ones([8, 4], np.float32))
    x = tf.constant(np.ones([16, 8], np.float32))

    def turn(number):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weight) ** 2)
        weight.assign_sub(1e-3 * tape.gradient(loss, weight))
        if number % 100 == 0:
            float(loss)

    return turn


def structures(tf):
    """Programs of which no two are alike: their ops and a size differ."""
    ops = [tf.sin, tf.cos, tf.exp, tf.tanh, tf.abs, tf.square, tf.negative, tf.nn.relu]

    def turn(number):
        value = tf.constant(np.ones([2 + number % 7], np.float32))
        while number:
            number, digit = divmod(number, len(ops))
            value = ops[digit](value)
        tf.reduce_sum(value).numpy()

    return turn


def programs(tf):
    """Programs with their gradients, each of another shape, other ops, another reduction and axis."""
    ops = [
        tf.sin, tf.cos, tf.exp, tf.tanh, tf.sigmoid, tf.square, tf.nn.relu, tf.nn.softplus, tf.nn.softmax,
        tf.math.log1p, tf.abs, tf.nn.elu, tf.sqrt, tf.math.erf,
    ]  # fmt: skip
    reductions = [
        tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, tf.reduce_logsumexp, tf.math.reduce_std,
    ]  # fmt: skip

    def turn(number):
        random = np.random.default_rng(number)
        shape = tuple(random.integers(1, 12, random.integers(1, 4)))
        x = tf.constant(random.uniform(0.1, 0.9, shape).astype(np.float32))
        first, second = (ops[place] for place in random.integers(len(ops), size=2))
        reduction, axis = reductions[random.integers(len(reductions))], int(random.integers(len(shape)))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(reduction(second(first(x) * float(number)), axis=axis))
        y.numpy(), tape.gradient(y, x).numpy()

    return turn


def functions(tf):
    """Functions that are made, called and dropped."""
    x = tf.constant([1.0, 2.0])

    def turn(number):
        function = tf.function(lambda x: tf.sin(x) * 2.0 + 1.0)
        function(x).numpy()

    return turn


def models(tf):
    """Models that are built, called and dropped."""
    x = np.ones([2, 4], np.float32)

    def turn(number):
        layers = tf.keras.layers
        model = tf.keras.Sequential([layers.Dense(8, "relu", input_shape=(4,)), layers.Dense(1)])
        model(x).numpy()

    return turn


def iterators(tf):
    """Iterators of a dataset that are dropped before their end."""
    dataset = tf.data.Dataset.range(100).map(lambda x: x * 2).shuffle(10).batch(4).prefetch(1)

    def turn(number):
        next(iter(dataset))

    return turn


def cells(tf):
    """The cell of a notebook, run again: its classes, functions and variables are made anew."""
    source = """
class Model(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([4, 2]))
    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w)
model = Model()
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones([3, 4])) ** 2)
    model.w.assign_sub(0.1 * tape.gradient(loss, model.w))
float(loss)
"""
    namespace = {"tf": tf}
    return lambda number: exec(compile(source, "<cell>", "exec"), namespace)


TURNS = {
    steps: 10**6, structures: 10**5, programs: 10**4, functions: 10**4, models: 10**4, iterators: 10**5, cells: 1000,
}  # fmt: skip
KINDS = {kind.__name__: kind for kind in TURNS}


def measure(name, turns):
    """Runs one kind in this process; prints a line of the table."""
    import tfcompat as tf  # not in the process that starts the others
    from benchmarks.resident import settled

    tf.get_logger().setLevel("ERROR")  # functions that are made anew are traced anew, which is told otherwise
    turn = KINDS[name](tf)
    for number in range(max(turns // 100, 3)):
        turn(number)
    before, marks, start = settled(), [], time.process_time()
    after_half = before
    for number in range(turns):
        turn(number)
        if (number + 1) % max(turns // 4, 1) == 0:
            marks.append(time.process_time() - start)
            if len(marks) == 2:
                after_half = settled()
            start = time.process_time()
    quarter = max(turns // 4, 1)
    mega = [round(resident - before) for resident in (after_half, settled())]
    times = [f"{1e3 * marks[place] / quarter:.3f}" for place in (0, 3)]
    print(f"| {name} | {turns:,} | {mega[0]} | {mega[1]} | {times[0]} | {times[1]} |", flush=True)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="part of the turns that are done")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--here", action="store_true", help="in this process, without the table's head")
    options = parser.parse_args(argv)
    if options.here:
        for name in options.kinds:
            measure(name, max(int(TURNS[KINDS[name]] * options.scale), 8))
        return 0
    print("| kind | turns | MB after half | MB after all | ms a turn, first quarter | last quarter |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in options.kinds:
        command = [sys.executable, "-m", "benchmarks.soak", "--here", "--scale", str(options.scale), "--kinds", name]
        subprocess.run(command, check=True, cwd=pathlib.Path(__file__).parents[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
