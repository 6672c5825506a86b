"""AutoGraph: loops over tensors."""

from rows import raised, row

from tape.rows_autograph import slope

# --- while --------------------------------------------------------------------------------------------------------


@row
def while_over_a_tensor(tf, np):
    @tf.function
    def f(x):
        n = 0
        while x < 100.0:
            x = x * x
            n += 1
        return x * tf.cast(n, tf.float32)

    return slope(tf, f, 3.0), slope(tf, f, 200.0)


@row
def while_second_order(tf, np):
    @tf.function
    def f(x, n):
        y = x
        while n > 0:
            y = y * x
            n -= 1
        return y

    x, n = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x, n)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


@row
def while_forward_mode(tf, np):
    @tf.function
    def f(x, n):
        y = x
        while n > 0:
            y = y * x
            n -= 1
        return y

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = f(x, tf.constant(3))
    return y, accumulator.jvp(y)


@row
def while_break_and_continue(tf, np):
    @tf.function
    def f(x, n):
        i, total = 0, x * 0.0
        while i < n:
            i += 1
            if i % 2 == 0:
                continue
            total += x * tf.cast(i, tf.float32)
            if total > 20.0:
                break
        return total

    return slope(tf, f, 1.0, tf.constant(5)), slope(tf, f, 7.0, tf.constant(50)), slope(tf, f, 1.0, tf.constant(0))


@row
def while_with_assignments(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(limit):
        while v < limit:
            v.assign(v * 2.0)
        return v + 0.5

    return f(tf.constant(10.0)), v.numpy(), f(tf.constant(10.0)), v.numpy()


@row
def while_over_python_values_is_python(tf, np):
    turns = []

    @tf.function
    def f(x):
        i = 0
        while i < 3:
            turns.append(i)
            x = x * 2.0
            i += 1
        return x, i

    return f(tf.constant(1.0)), turns


@row
def while_of_a_constant_tensor_is_traced_once(tf, np):
    turns = []

    @tf.function
    def f(x):
        i = tf.constant(0)
        while i < 5:
            turns.append("turn")
            x = x * 2.0
            i += 1
        return x, i

    return f(tf.constant(1.0)), len(turns)


@row
def while_with_attributes(tf, np):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.total = None

        @tf.function
        def run(self, x):
            self.total = x
            while self.total < 10.0:
                self.total = self.total + x
            result = self.total
            self.total = None
            return result

    counter = Counter()
    return counter.run(tf.constant(3.0))


@row
def collatz(tf, np):
    @tf.function
    def f(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return [f(tf.constant(n)) for n in (1, 6, 27)]


@row
def newton(tf, np):
    @tf.function
    def root(a):
        x = a
        while tf.abs(x * x - a) > 1e-5:
            x = 0.5 * (x + a / x)
        return x

    return slope(tf, root, 2.0), slope(tf, root, 16.0)


@row
def errors_of_while(tf, np):
    @tf.function
    def shapes(n):
        x = tf.ones([1])
        while n > 0:
            x = tf.concat([x, x], 0)
            n -= 1
        return x

    @tf.function
    def dtypes(n):
        x = tf.constant(0)
        while n > 0:
            x = tf.cast(x, tf.float32) + 0.5
            n -= 1
        return x

    @tf.function
    def structures(n):
        x = 1
        while n > 0:
            x = (n, n)
            n -= 1
        return x

    @tf.function
    def none(n):
        x = 1
        while n > 0:
            x = None
            n -= 1
        return x

    @tf.function
    def always_none(n):
        x = None
        while n > 0:
            x = None
            n -= 1
        return x

    @tf.function
    def break_depends_on_a_tensor(n):
        i = 0
        while True:
            i += 1
            if n > i:
                break
        return i

    n = tf.constant(2)
    return (
        raised(lambda: shapes(n), "'x' has shape (1,) before the loop, but shape (2,) after one iteration",
               "Use tf.autograph.experimental.set_loop_options to set shape invariants"),
        raised(lambda: dtypes(n), "'x' has dtype int32 before the loop, but dtype float32 after one iteration"),
        raised(lambda: structures(n), "'x' does not have the same nested structure after one iteration."),
        raised(lambda: none(n), "'x' is None at the end of the iteration."),
        raised(lambda: always_none(n), "'x' is not allowed to be None before the loop"),
        raised(lambda: break_depends_on_a_tensor(n), "The condition of while loop started as non-Tensor, then changed"),
    )  # fmt: skip


# --- for ----------------------------------------------------------------------------------------------------------


@row
def for_over_a_range(tf, np):
    @tf.function
    def f(x, n):
        total = 0.0
        for i in tf.range(n):
            total += x * tf.cast(i, tf.float32)
        return total

    return slope(tf, f, 2.0, tf.constant(4)), slope(tf, f, 2.0, tf.constant(0)), slope(tf, f, 2.0, 4)


@row
def for_over_ranges_of_all_forms(tf, np):
    @tf.function
    def f(a, b, c):
        total, last = 0, -1
        for i in tf.range(a, b):
            total += i
        for i in tf.range(a, b, c):
            total += 100 * i
        for i in tf.range(b, a, -1):
            total += 10000 * i
            last = i
        for _ in range(a):
            total += 1
        for _ in range(a, b):
            total += 1
        for _ in range(a, b, c):
            total += 1
        return total, last

    return f(tf.constant(2), tf.constant(7), tf.constant(2)), f(2, 7, 2)


@row
def for_over_rows(tf, np):
    @tf.function
    def f(x):
        total = tf.zeros([2])
        for v in x:
            total = total * 0.5 + v * v
        return tf.reduce_sum(total)

    return slope(tf, f, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), slope(tf, f, np.zeros([0, 2], np.float32))


@row
def for_break_continue_return(tf, np):
    @tf.function
    def first_above(x, limit):
        found, seen = -1.0, 0
        for v in x:
            if v < 0.0:
                continue
            seen += 1
            if v > limit:
                found = v
                break
        return found, seen

    x = tf.constant([1.0, -2.0, 3.0, 4.0])
    return first_above(x, tf.constant(2.0)), first_above(x, tf.constant(9.0)), first_above(x, tf.constant(0.0))


@row
def for_break_gradient(tf, np):
    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
            if y > 30.0:
                break
        return y

    return slope(tf, f, 2.0, tf.constant(10)), slope(tf, f, 2.0, 10), slope(tf, f, 2.0, 3)


@row
def for_the_last_turn_is_seen_after(tf, np):
    @tf.function
    def f(n):
        for i in tf.range(n):
            y = i * 2
        return i, y

    return f(tf.constant(3)), f(3), raised(lambda: f(tf.constant(0)), "loop must iterate at least once to initialize y")


@row
def for_nested(tf, np):
    @tf.function
    def f(x, n):
        total = 0.0
        for i in tf.range(n):
            for j in tf.range(i + 1):
                total += x ** tf.cast(j, tf.float32)
        return total

    return slope(tf, f, 2.0, tf.constant(3)), slope(tf, f, 2.0, 3)


@row
def for_over_python_values_is_python(tf, np):
    turns = []

    @tf.function
    def f(x):
        for i in range(3):
            turns.append(i)
            x = x * 2.0
        for name, factor in {"a": 1.0, "b": 3.0}.items():
            turns.append(name)
            x = x * factor
        for a, b in zip([1.0, 2.0], [3.0, 4.0], strict=True):
            x = x + a * b
        return x, [x * i for i in range(2)]

    return f(tf.constant(1.0)), turns


@row
def for_over_a_tensor_is_traced_once(tf, np):
    turns = []

    @tf.function
    def f(x):
        for _ in tf.range(100):
            turns.append("turn")
            x = x + 1.0
        return x

    return f(tf.constant(1.0)), len(turns)


@row
def for_fills_a_tensor_array(tf, np):
    @tf.function
    def f(x):
        cells = tf.TensorArray(tf.float32, size=4)
        for i in tf.range(4):
            cells = cells.write(i, x ** tf.cast(i, tf.float32))
        return tf.reduce_sum(cells.stack())

    return slope(tf, f, 2.0)


@row
def for_fills_a_growing_tensor_array(tf, np):
    @tf.function
    def f(x):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(2, 5):
            cells = cells.write(i, x * tf.cast(i, tf.float32) * [1.0, 2.0])
        return cells.stack()

    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@row
def for_appends_to_a_growing_tensor_array(tf, np):
    @tf.function
    def f(x):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for v in x:
            cells = cells.write(cells.size(), v * 2.0)
        return cells.stack(), cells.size()

    return f(tf.constant([1.0, 2.0, 3.0]))


@row
def recurrent_network(tf, np):
    w = tf.Variable([[0.5, -0.2], [0.1, 0.3]])

    @tf.function
    def f(x):
        state = tf.zeros([x.shape[0], 2])
        outputs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for t in tf.range(tf.shape(x)[1]):
            state = tf.tanh(x[:, t] + state @ w)
            outputs = outputs.write(t, state)
        return tf.transpose(outputs.stack(), [1, 0, 2])

    x = tf.reshape(tf.range(12, dtype=tf.float32) * 0.1, [2, 3, 2])
    with tf.GradientTape() as tape:
        y = f(x)
        loss = tf.reduce_sum(y * y)
    return y, tape.gradient(loss, w)


@row
def for_reads_a_tensor_array(tf, np):
    @tf.function
    def f(x):
        cells = tf.TensorArray(tf.float32, size=3).unstack(x)
        total = 0.0
        for i in tf.range(3):
            total += cells.read(i) * tf.cast(i + 1, tf.float32)
        return total

    return slope(tf, f, [1.0, 2.0, 3.0])


@row
def set_loop_options(tf, np):
    @tf.function
    def limited(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=1)
            i += 1
        for _ in tf.range(10):
            tf.autograph.experimental.set_loop_options(maximum_iterations=4)
            i += 100
        return i

    @tf.function
    def growing():
        v = tf.constant([0])
        for i in tf.range(3):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
            v = tf.concat([v, [i]], 0)
        return v

    return limited(tf.constant(10)), growing()


@row
def errors_of_for(tf, np):
    @tf.function
    def shapes(n):
        x = tf.ones([1])
        for _ in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    @tf.function
    def invariants(n):
        x = tf.ones([1, 1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 1]))])
            x = tf.concat([x, x], 1)
        return x

    @tf.function
    def returns(n):
        for i in tf.range(n):
            if i == 3:
                return i
        return -1

    @tf.function
    def breaks(n):
        for i in range(5):
            if n > i:
                break
        return n

    @tf.function
    def scalar(n):
        for i in n:
            n = i
        return n

    @tf.function
    def tensor_array(n):
        for x in tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]):
            n += int(x)
        return n

    n = tf.constant(2)
    return (
        raised(lambda: shapes(n), "'x' has shape (1,) before the loop, but shape (2,) after one iteration"),
        raised(lambda: shapes(2), "'x' has shape (1,) before the loop, but shape (2,) after one iteration"),
        raised(lambda: invariants(n), "after one iteration, which does not conform with the shape invariant (None, 1)"),
        raised(lambda: returns(n), "a return statement cannot be placed inside this TensorFlow loop"),
        raised(lambda: breaks(n), "break and return statements which depend on a TF condition are not supported in"),
        raised(lambda: scalar(n), "len requires a non-scalar tensor, got one of shape"),
        raised(lambda: tensor_array(n), "'TensorArray' object is not iterable"),
    )


@row
def ranges_of_unknown_size_as_tensors(tf, np):
    @tf.function
    def strided(n):
        s = 0
        for i in tf.range(n)[::2]:
            s += i
        return s

    computed = tf.function(lambda n: (tf.range(n) * 2 + 1, 3 - tf.range(n), tf.range(n) == 2, -tf.range(n)))
    return strided(tf.constant(5)), computed(tf.constant(4)), tf.function(lambda n: len(tf.range(n)))(tf.constant(5))


@row
def ragged_tensors(tf, np):
    @tf.function
    def doubled(x):
        for _ in tf.range(3):
            x = x * 2.0
        return x

    @tf.function
    def until(x):
        while tf.reduce_sum(x) < 20.0:
            x = x + 1.0
        return x

    x = tf.ragged.constant([[1.0], [2.0, 3.0]])
    loop = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, x + 1.0), [0, x])[1]
    return doubled(x).to_list(), until(x).to_list(), loop.to_list()
