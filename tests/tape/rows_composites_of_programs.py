"""Composite tensors that a program makes of its own classes, with specs that hold dicts and lists; see Interval."""

from rows import raised, row, row_for


def interval_class(tf):
    """A class of intervals that converts what it gets, as distributions do, and has its unit and notes in its spec."""

    class IntervalSpec(tf.TypeSpec):
        def __init__(self, ends, notes):
            self._ends, self._notes = ends, notes

        value_type = property(lambda self: Interval)
        _component_specs = property(lambda self: self._ends)

        def _to_components(self, value):
            return {"high": value.high, "low": value.low}

        def _from_components(self, components):
            return Interval(**components, notes=self._notes)

        def _serialize(self):
            return self._ends, self._notes

    class Interval(tf.__internal__.CompositeTensor):
        def __init__(self, low, high, notes):
            self.low, self.high = tf.convert_to_tensor(low), tf.convert_to_tensor(high)
            self.notes = notes

        @property
        def _type_spec(self):
            ends = {k: tf.TensorSpec(x.shape, x.dtype) for k, x in (("high", self.high), ("low", self.low))}
            return IntervalSpec(ends, self.notes)

    return Interval


@row
def specs_with_dicts_and_lists_are_hashed_and_compared(tf, np):
    interval = interval_class(tf)
    one, same, other = (interval(0.0, 1.0, ["m", {"a": n}])._type_spec for n in (1, 1, 2))
    return one == same, hash(one) == hash(same), one == other, len({one, same, other}), str(one)


@row
def they_pass_through_functions(tf, np):
    interval = interval_class(tf)
    traces = []

    @tf.function
    def widened(x, by):
        traces.append(by)
        return interval(x.low - by, x.high + by, x.notes), x.high - x.low

    arguments = [interval(1.0, 3.0, ["m"]), interval(2.0, 3.0, ["m"]), interval(0.0, 3.0, [])]
    results = [widened(x, tf.constant(1.0)) for x in arguments]
    return [(r.low, r.high, r.notes, width) for r, width in results], len(traces)


@row
def they_pass_through_loops_and_gradients(tf, np):
    interval = interval_class(tf)
    low = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _, last = tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, interval(x.low * x.low, x.high + x.low, x.notes)),
            (0, interval(low, 1.0, ["m"])),
        )
    return last.low, last.high, last.notes, tape.gradient(last.high, low)


@row
def outputs_of_a_concrete_function_are_composites(tf, np):
    interval = interval_class(tf)
    function = tf.function(lambda x: {"a": interval(x, x[0], ["m"]), "b": x})
    outputs = function.get_concrete_function(tf.TensorSpec([2])).structured_outputs
    a = outputs["a"]
    return sorted(outputs), type(a).__name__, a.notes, str(a.low.shape), str(a.high.dtype), str(outputs["b"].shape)


def composites(tf, kind):
    return {
        "ragged": lambda: tf.RaggedTensor.from_row_splits([1.0, 2.0], [0, 1, 2]),
        "sparse": lambda: tf.sparse.from_dense([[1.0, 0.0]]),
        "slices": lambda: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([3, 1])),
        "own": lambda: interval_class(tf)([1.0], 2, ["m"]),
        "nested": lambda: (None, {"a": tf.RaggedTensor.from_row_splits([1, 2], [0, 1, 2])}, tf.constant("x")),
    }[kind]()


@row_for(kind=["ragged", "sparse", "slices", "own", "nested"])
def shapes_and_dtypes_of_the_outputs_of_a_concrete_function(tf, kind):
    value = composites(tf, kind)
    concrete = tf.function(lambda: value).get_concrete_function()
    return str(concrete.output_shapes), str(concrete.output_dtypes)


@row_for(autograph=[True, False])
def a_function_that_refuses_unknown_sizes_refuses_them(tf, autograph):
    def doubled(x):
        if x.shape[-1] is None:
            raise ValueError("the number of columns must be known")
        return x * 2

    unknown = tf.TensorSpec([3, None])
    function = tf.function(doubled, autograph=autograph)
    with_signature = tf.function(doubled, autograph=autograph, input_signature=[unknown])
    return (
        raised(lambda: function.get_concrete_function(unknown), "must be known"),
        raised(lambda: with_signature(tf.ones([3, 2])), "must be known"),
        function(tf.ones([3, 2])),
    )


@row
def a_size_that_is_none_is_no_number(tf, np):
    function = tf.function(lambda x: tf.ones([x.shape[1] * 2]))
    return raised(lambda: function.get_concrete_function(tf.TensorSpec([3, None])), "NoneType")


@row
def what_says_that_it_is_like_a_tensor(tf, np):
    class Like:
        is_tensor_like = True

    class Converted:
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(1.0)

    return [tf.is_tensor(x) for x in (Like(), Converted(), interval_class(tf)(0.0, 1.0, []), np.zeros(2))]
