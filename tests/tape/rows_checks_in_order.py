"""Assignments before and after an op that refuses a value: which are done.

In a function TensorFlow assigns a variable after what has read or assigned the variable itself, and after what computes
the new value. What waits for nothing is done at once or not at all, as it comes; the rows do not look at that.
"""
from rows import raised, row, row_for, row_that_differs

V = [1.0, 2.0, 3.0]
NEW = [7.0, 8.0, 9.0]


class Model:
    """Two variables, a large one, and a tensor."""

    def __init__(self, tf):
        self.tf = tf
        self.v, self.w, self.large = tf.Variable(V), tf.Variable([0.0]), tf.Variable(tf.ones([60, 60]))
        self.t, self.ones = tf.constant(V), tf.constant([1.0, 1.0, 1.0])
        self.layer = tf.keras.layers.Embedding(3, 1, embeddings_initializer="ones")
        self.layer.build([None])

    def numbers(self):
        return self.v, self.w, self.large[0, 0], self.large[59, 59]


def computed(tf, numbers):
    """Integers that no op knows while it is called."""
    return tf.cast(tf.constant(numbers, tf.float32) + 0.0, tf.int32)


def outcome(tf, program, way):
    """What is raised where the second index is wrong, and the variables after that, and after right indices."""
    found = []
    for numbers in [0, 7], [0, 2]:
        m = Model(tf)
        run = tf.function(lambda i, m=m: program(m, i)) if way == "function" else lambda i, m=m: program(m, i)

        def result(run=run, numbers=numbers):
            return tf.nest.map_structure(lambda x: None if x is None else x.numpy(), run(computed(tf, numbers)))

        found.append([raised(result) if numbers[1] == 7 else result(), *m.numbers()])
    return found


def _while(m, i):
    return m.tf.while_loop(
        lambda j, _: j < 1, lambda j, sums: (j + 1, sums + m.tf.gather(m.v, i)), (0, m.tf.zeros([2])))[1]


def _in_a_function(m, i):
    return m.tf.function(lambda i: m.tf.gather(m.v, i))(i)


def _as_the_index_of_another(m, i):
    return m.tf.gather(m.v, m.tf.cast(m.tf.gather(m.v, i), m.tf.int32) * 0)


def _in_a_function_of_both(m, i):
    return m.tf.function(lambda i: (m.tf.gather(m.w, i // 7), m.v * 2.0))(i)[0]


def _in_a_branch_of_both(m, i):
    return m.tf.cond(i[0] < 1, lambda: m.tf.gather(m.w, i // 7) + 0.0 * m.v[0], lambda: m.v[:2])


CHECKS = {
    "gather": lambda m, i: m.tf.gather(m.v, i),
    "gather_nd": lambda m, i: m.tf.gather_nd(m.v, i[:, None]),
    "sparse_read": lambda m, i: m.v.sparse_read(i),
    "embedding_lookup": lambda m, i: m.tf.nn.embedding_lookup(m.v, i),
    "as an index": _as_the_index_of_another,
    "branch": lambda m, i: m.tf.cond(i[0] < 1, lambda: m.tf.gather(m.v, i), lambda: m.tf.zeros([2])),
    "while": _while,
    "function": _in_a_function,
    "function of both": _in_a_function_of_both,
    "branch of both": _in_a_branch_of_both,
    "foldl": lambda m, i: m.tf.foldl(lambda sums, k: sums + m.tf.gather(m.v, [k]), i, m.tf.zeros([1])),
    "map_fn": lambda m, i: m.tf.map_fn(lambda k: m.tf.gather(m.v, k), i, fn_output_signature=m.tf.float32),
    "assigned rows": lambda m, i: m.v[i[1]].assign(2.0),
    "what is assigned": lambda m, i: m.v.assign(m.tf.concat([m.tf.gather(m.t, i), [4.0]], 0)),
}  # fmt: skip


def _in_a_branch(m, _):
    m.tf.cond(m.tf.reduce_sum(m.t) > 0.0, lambda: m.v.assign(NEW), m.v.read_value)


def _in_turns(m, _):
    m.tf.while_loop(lambda j: j < 2, lambda j: (j + 1 + 0 * m.tf.cast(m.v.assign_add(NEW)[0], m.tf.int32),), (0,))


def _of_the_other(m, _):
    m.v.assign(NEW)
    m.w.assign(m.v[:1])


ASSIGNMENTS = {
    "assign": lambda m, _: m.v.assign(NEW),
    "assign_add": lambda m, _: m.v.assign_add(NEW),
    "scatter_update": lambda m, _: m.v.scatter_update(m.tf.IndexedSlices([5.0], [0])),
    "slice": lambda m, _: m.v[0].assign(5.0),
    "branch": _in_a_branch,
    "turns": _in_turns,
    "function": lambda m, _: m.tf.function(lambda: m.v.assign(NEW))(),
    "the other": _of_the_other,
    "of the result": lambda m, result: m.w.assign_add(m.tf.reshape(m.tf.convert_to_tensor(result), [-1])[:1]),
    "control_dependencies": None,
}


@row_for(check=list(CHECKS), way=["function", "eager"])
def assigned_after(tf, check, way):
    found = {}
    for name, assign in ASSIGNMENTS.items():
        def program(m, i, assign=assign):
            result = CHECKS[check](m, i)
            if assign is None:
                with tf.control_dependencies([result]):
                    m.w.assign([4.0])
            else:
                assign(m, result)
            return tf.reduce_sum(tf.convert_to_tensor(result))

        found[name] = outcome(tf, program, way)
    return found


def _before(m, i):
    m.v.assign(NEW)
    return m.tf.gather(m.v, i)


def _before_and_after(m, i):
    m.v.assign(NEW)
    result = m.tf.gather(m.v, i)
    m.v.assign_add(m.ones)
    return result


def _after_a_right_one(m, i):
    right = m.tf.gather(m.t, i - i)
    m.v.assign_add(m.tf.concat([right, right[:1]], 0))
    return m.tf.gather(m.v, i)


def _between_two(m, i):
    result = _after_a_right_one(m, i)
    m.v.assign_add(m.ones)
    return result


def _of_a_large_one(m, i):
    right = m.tf.gather(m.t, i - i)
    m.large.assign_add(right[0] * m.tf.ones([60, 60]))
    result = m.tf.gather(m.large, i * 10)
    m.large.assign_add(m.tf.ones([60, 60]))
    m.large.scatter_update(m.tf.IndexedSlices(m.tf.zeros([1, 60]), [59]))
    return m.tf.reduce_sum(result)


def _of_a_large_one_by_rows(m, i):
    m.large.scatter_add(m.tf.IndexedSlices(m.tf.ones([1, 60]), [0]))
    result = m.tf.gather(m.large, i * 10)
    m.large.scatter_update(m.tf.IndexedSlices(m.tf.zeros([1, 60]), [59]))
    return m.tf.reduce_sum(result)


def _overwritten(m, i):
    m.v.assign(m.tf.concat([m.tf.gather(m.t, i), [4.0]], 0))
    m.v.assign(NEW)
    return m.v.read_value()


def _before_a_branch(m, i):
    m.v.assign(NEW)

    def branch():
        result = m.tf.gather(m.v, i)
        m.v.assign_add(m.ones)
        return result

    result = m.tf.cond(i[0] < 1, branch, lambda: m.tf.zeros([2]))
    m.v.assign_add(m.ones)
    return result


def _in_a_branch_before(m, i):
    def branch():
        m.v.assign(NEW)
        result = m.tf.gather(m.v, i)
        m.v.assign_add(m.ones)
        return result

    return m.tf.cond(i[0] < 1, branch, lambda: m.tf.zeros([2]))


def _in_a_function_before(m, i):
    @m.tf.function
    def inner(i):
        m.v.assign(NEW)
        result = m.tf.gather(m.v, i)
        m.v.assign_add(m.ones)
        return result

    result = inner(i)
    m.v.assign_add(m.ones)
    return result


def _in_a_function_of_a_variable(m, i):
    @m.tf.function
    def inner(x, i):
        result = m.tf.gather(x, i)
        x.assign_add(m.ones)
        return result

    m.v.assign(NEW)
    return inner(m.v, i)


def _in_the_first_turn(m, i):
    def turn(j, sums):
        m.v.assign_add(m.ones)
        sums += m.tf.gather(m.v, i)
        m.v.assign_add(m.ones)
        return j + 1, sums

    return m.tf.while_loop(lambda j, _: j < 3, turn, (0, m.tf.zeros([2])))


def _under_an_assertion(m, i):
    with m.tf.control_dependencies([m.tf.debugging.assert_less(i, 3)]):
        m.w.assign([4.0])


def _a_gradient(m, i):
    with m.tf.GradientTape() as tape:
        y = m.tf.reduce_sum(m.tf.gather(m.v, i) * m.w)
    gradients = tape.gradient(y, [m.v, m.w])
    m.w.assign_sub(gradients[1])
    m.v.assign_sub(m.tf.convert_to_tensor(gradients[0]))
    return y


def _optimizer(name):
    def program(m, i):
        with m.tf.GradientTape() as tape:
            y = m.tf.reduce_sum(m.tf.gather(m.v, i) * (m.w + 1.0))
        optimizer = getattr(m, name, None)
        if optimizer is None:
            optimizer = getattr(m.tf.keras.optimizers, name)(0.1)
            with m.tf.init_scope():
                optimizer.build([m.v, m.w])
            setattr(m, name, optimizer)
        optimizer.apply_gradients(zip(tape.gradient(y, [m.v, m.w]), [m.v, m.w], strict=True))
        return y

    return program


def _an_embedding(m, i):
    with m.tf.GradientTape() as tape:
        y = m.tf.reduce_sum(m.layer(i) * m.w)
    gradient = tape.gradient(y, m.layer.embeddings)
    m.w.assign_add([1.0] + 0.0 * y)
    m.layer.embeddings.assign_sub(m.tf.convert_to_tensor(gradient))
    m.v.assign(m.layer.embeddings[:, 0])
    return y


def _labels(m, i):
    with m.tf.GradientTape() as tape:
        y = m.tf.reduce_mean(m.tf.nn.sparse_softmax_cross_entropy_with_logits(i, m.tf.stack([m.v, m.v])))
    m.v.assign_sub(tape.gradient(y, m.v))
    return y


def _a_divisor(m, i):
    quotient = m.tf.constant([6, 6]) // (i - 7)
    m.v.assign_add(m.tf.cast(m.tf.concat([quotient, [1]], 0), m.tf.float32))
    m.v.assign(NEW)
    return quotient


PROGRAMS = {
    name.strip("_").replace("_", " "): program
    for name, program in {
        **{f.__name__: f for f in (
            _before, _before_and_after, _after_a_right_one, _between_two, _of_a_large_one, _of_a_large_one_by_rows,
            _overwritten, _before_a_branch, _in_a_branch_before, _in_a_function_before, _in_a_function_of_a_variable,
            _in_the_first_turn, _under_an_assertion, _a_gradient, _an_embedding, _labels, _a_divisor)},
        **{name: _optimizer(name) for name in ("SGD", "Adam", "Adagrad", "RMSprop")},
    }.items()
}  # fmt: skip


@row_for(program=list(PROGRAMS), way=["function", "eager"])
def assigned_before_and_after(tf, program, way):
    return outcome(tf, PROGRAMS[program], way)


@row
def assigned_eagerly_after_a_function(tf, np):
    found = []
    for late in False, True:
        m = Model(tf)

        @tf.function
        def f(i, m=m):
            m.v.assign(NEW)
            result = tf.gather(m.v, i)
            m.v.assign_add(m.ones)
            m.large.assign_add(result[0] * tf.ones([60, 60]))
            return result

        def program(f=f, m=m, late=late):
            result = f(computed(tf, [0, 7]))
            m.v.assign_add(m.ones)
            m.w.assign([4.0])
            m.large.assign_add(tf.ones([60, 60]))
            return (m.v if late else result).numpy()

        found.append([raised(program, "is not in [0, 3)"), *m.numbers()])
    return found


@row
def several_calls_of_a_function(tf, np):
    m, found = Model(tf), []

    @tf.function
    def step(i):
        m.v.assign_add(m.ones)
        result = tf.gather(m.v, i)
        m.v.assign_add(m.ones)
        m.large.assign_add(result[0] * tf.ones([60, 60]))
        return tf.reduce_sum(result)

    for numbers in [0, 1], [0, 7], [7, 7], [1, 2], [9, 0], [2, 0]:
        found.append(raised(lambda numbers=numbers: step(computed(tf, numbers)).numpy(), "is not") if max(numbers) > 2
                     else step(computed(tf, numbers)))  # fmt: skip
        found.append([np.array(x) for x in m.numbers()])
    return found


@row_that_differs("TensorFlow has updated the rows before the wrong index")
def rows_before_a_wrong_index(tf, np):
    m = Model(tf)
    found = [raised(lambda: m.v.scatter_add(tf.IndexedSlices([1.0, 1.0], computed(tf, [0, 7]))).numpy())]
    return [*found, m.v]
