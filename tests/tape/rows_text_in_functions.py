"""Text in functions: one trace for all values, printed forms, control flow, tables, parsing, gradients of numbers."""

from rows import raised, row, row_for


def _called(tf, function, *calls, **options):
    """The components of what a function returns for each call; how its arguments are printed, in each trace."""
    printed = []

    def traced(*args):
        printed.extend(str(x) for x in args if isinstance(x, tf.Tensor))
        return function(*args)

    compiled = tf.function(traced, **options)
    return [tf.nest.flatten(compiled(*args), expand_composites=True) for args in calls], printed


def _words(tf):
    return tf.constant(["Ab c", "xyz"]), tf.constant(["d e f", "gh I"])


EACH = {
    "lower": lambda tf, a: (tf.strings.lower(a), tf.strings.upper(a), tf.strings.strip(a + " ")),
    "length": lambda tf, a: (tf.strings.length(a), tf.strings.length(a, "UTF8_CHAR")),
    "regex": lambda tf, a: (tf.strings.regex_replace(a, "[a-e]", "_"), tf.strings.regex_full_match(a, ".*c")),
    "hash": lambda tf, a: (tf.strings.to_hash_bucket_fast(a, 9), tf.strings.to_hash_bucket_strong(a, 9, [1, 2])),
    "substr": lambda tf, a: (tf.strings.substr(a, 1, 2), tf.strings.join([a, "x", a], "-"), a + "!"),
    "reduce_join": lambda tf, a: (tf.strings.reduce_join(a), tf.strings.reduce_join(a[:, None], 1, True)),
    "split": lambda tf, a: (tf.strings.split(a), tf.strings.split(a[0]), tf.strings.split(a, " ").to_tensor("-")),
    "characters": lambda tf, a: (tf.strings.unicode_split(a, "UTF-8"), tf.strings.unicode_decode(a, "UTF-8")),
    "bytes": lambda tf, a: (tf.strings.bytes_split(a), tf.io.decode_raw(a[1], tf.uint8)),
    "base64": lambda tf, a: (tf.io.encode_base64(a), tf.io.decode_base64(tf.io.encode_base64(a))),
    "ngrams": lambda tf, a: tf.strings.ngrams(tf.strings.split(a), 2),
    "rows": lambda tf, a: (tf.strings.split(a).row_lengths(), tf.strings.reduce_join(tf.strings.split(a), -1)),
    "format": lambda tf, a: tf.strings.format("<{}>", a),
    "moved": lambda tf, a: (tf.reverse(a, [0]), tf.stack([a, a], 1), tf.gather(a, [1, 0]), a[0], a[1:], a[::-1]),
    "compared": lambda tf, a: (tf.equal(a, "xyz"), a != "xyz", tf.where(tf.strings.length(a) > 3, a, "?")),
    "shape": lambda tf, a: (tf.shape(a), tf.size(a), tf.shape(tf.strings.split(a).values)),
    "mapped": lambda tf, a: (tf.map_fn(tf.strings.upper, a), tf.map_fn(tf.strings.length, a, tf.int32)),
    "unstacked": lambda tf, a: tf.unstack(a),
    "handed_on": lambda tf, a: (a, tf.constant("k"), tf.identity(a)),
}


@row_for(name=EACH)
def text_of_a_function(tf, name):
    first, second = _words(tf)
    return _called(tf, lambda a: EACH[name](tf, a), (first,), (second,))


@row
def one_trace_for_each_shape(tf):
    first, second = _words(tf)
    return _called(tf, lambda a: tf.strings.length(a), (first,), (second,), (first[0],), (second[:1],), (second[1],))


@row
def one_trace_for_unknown_sizes(tf):
    first, second = _words(tf)
    spec = [tf.TensorSpec([None], tf.string)]
    return _called(
        tf, lambda a: (tf.strings.upper(a), tf.reshape(a, [-1, 1]), tf.shape(a), tf.strings.split(a).to_tensor()),
        (first,), (second[:1],), (tf.concat([first, second], 0),), input_signature=spec,
    )  # fmt: skip


@row
def printed_forms_of_what_is_computed(tf):
    printed = []

    def f(a, x):
        parts = tf.strings.split(a)
        made = [a, tf.strings.length(a), tf.strings.as_string(x), parts.values, tf.io.read_file(a[0])]
        printed.extend((y.dtype.name, y.shape.as_list()) for y in made)
        printed.extend(map(str, made[:2]))
        return tf.strings.length(a)

    f = tf.function(f)
    return f(_words(tf)[0], tf.constant([1.0, 2.0])), printed


@row
def signatures_of_text(tf):
    f = tf.function(lambda a: tf.strings.lower(a))
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.string))
    wrong = raised(lambda: concrete(tf.constant([1])), "expected to be a string tensor but is a int32 tensor")
    return concrete(tf.constant(["A"])), str(concrete.structured_input_signature), wrong


@row
def numbers_and_text(tf):
    numbers, texts = tf.constant(["1.5", "-2"]), tf.constant(["3", "4e1"])
    made = _called(tf, lambda a: (tf.strings.to_number(a), tf.strings.to_number(a, tf.float64)), (numbers,), (texts,))
    x, y = tf.constant([1.5, 2.0]), tf.constant([-3.0, 4.25])
    return made, _called(tf, lambda x: (tf.strings.as_string(x), tf.strings.as_string(x * 2.0, 1)), (x,), (y,))


@row
def tables_in_functions(tf):
    keys, values = tf.constant(["xyz", "b"]), tf.constant([4, 7], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    back = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(values, keys), "?")
    buckets = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(keys, tf.constant([0, 1], tf.int64)), 3
    )

    def f(a):
        ids = table.lookup(a)
        return ids, back.lookup(ids), buckets.lookup(a), table[tf.strings.split(a)], table.size()

    first, second = _words(tf)
    return _called(tf, f, (first,), (second,))


@row
def parsed_in_functions(tf):
    features = {
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "t": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w", b"v"])),
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[4])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    spec = {
        "x": tf.io.FixedLenFeature([2], tf.float32), "t": tf.io.VarLenFeature(tf.string),
        "n": tf.io.RaggedFeature(tf.int64), "d": tf.io.FixedLenFeature([], tf.string, "none"),
        "s": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }  # fmt: skip
    one, several = tf.constant(example), tf.constant([example, example])
    lines = tf.constant(["1,2,x", "3,,y"])
    return (
        _called(tf, lambda a: tf.io.parse_single_example(a, spec), (one,), (one,))[0],
        _called(tf, lambda a: tf.io.parse_example(a, spec), (several,), (several,))[0],
        _called(tf, lambda a: tf.io.decode_csv(a, [0, 1.0, ""]), (lines,), (lines[::-1],)),
        _called(tf, lambda a: tf.io.decode_raw(a, tf.uint8, fixed_length=3), (lines,), (lines,)),
    )


@row
def pictures_in_functions(tf, np):
    pixels = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
    files = [(tf.io.encode_png(pixels),), (tf.io.encode_png(pixels[:1]),)]
    return _called(tf, lambda a: tf.cast(tf.io.decode_png(a, channels=3), tf.float32) * 2.0, *files)


@row
def branches_of_text(tf):
    def f(a):
        chosen = tf.cond(tf.equal(a, "xyz"), lambda: tf.strings.upper(a), lambda: a + "!")
        number = tf.cond(tf.strings.length(a) > 3, lambda: 1.0, lambda: 2.0)
        switched = tf.switch_case(tf.strings.length(a) - 3, [lambda: a, lambda: a + a])
        return chosen, number, switched

    first, second = _words(tf)
    return _called(tf, f, (first[0],), (first[1],), (second[1],))


@row
def text_chosen_by_autograph(tf):
    def f(x, a):
        name = "positive" if x > 0.0 else "negative"
        kind = "short"
        if tf.strings.length(a) > 3:
            kind = a
        return name, kind

    first, _ = _words(tf)
    return _called(tf, f, (tf.constant(1.0), first[0]), (tf.constant(-1.0), first[1]))


@row
def loops_over_text(tf):
    def f(a):
        joined, count = "", 0
        for word in a:
            joined = joined + word
            count += tf.strings.length(word)
        for _ in tf.range(2):
            joined += "."
        last = a[0]
        while tf.strings.length(last) < 10:
            last = last + last
        return joined, count, last

    first, second = _words(tf)
    return _called(tf, f, (first,), (second,))


@row
def gradients_between_steps(tf, np):
    weights = tf.Variable(np.arange(12, dtype=np.float32).reshape(6, 2))
    scale = tf.Variable(3.0)

    @tf.function
    def f(a):
        ids = tf.strings.to_hash_bucket_fast(tf.strings.split(a).to_tensor(""), 6)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(weights, ids) ** 2) * scale
        inner = tape.gradient(y, [weights, scale])
        return y, tf.convert_to_tensor(inner[0]), inner[1]

    results = []
    for a in _words(tf):
        with tf.GradientTape() as tape:
            y, *inner = f(a)
        outer = tape.gradient(y, [weights, scale])
        results.append((y, inner, tf.convert_to_tensor(outer[0]), outer[1]))
    return results


@row
def gradients_of_branches_with_text(tf):
    w = tf.Variable(3.0)

    @tf.function
    def f(a):
        return tf.cond(tf.equal(a[0], "Ab c"), lambda: tf.cast(tf.strings.length(a[1]), tf.float32) * w * w, lambda: w)

    results = []
    for a in _words(tf):
        with tf.GradientTape() as tape:
            y = f(a)
        results.append((y, tape.gradient(y, w)))
    return results


@row
def steps_that_train(tf):
    w, seen = tf.Variable(1.0), tf.Variable("nothing")

    @tf.function
    def step(a):
        for _ in tf.range(2):
            with tf.GradientTape() as tape:
                y = w * tf.cast(tf.reduce_sum(tf.strings.length(a)), tf.float32)
            w.assign_sub(0.01 * tape.gradient(y, w))
        before = seen + "!"
        seen.assign(a[0])
        return y, before, seen.read_value()

    first, second = _words(tf)
    return step(first), step(second), w, seen, step.experimental_get_tracing_count()


@row
def functions_that_call_functions_of_text(tf):
    inner = tf.function(lambda a: tf.strings.split(a).to_tensor(""))

    def f(a):
        return inner(a), tf.shape(inner(tf.strings.upper(a))), inner(tf.constant(["known text"]))

    first, second = _words(tf)
    return _called(tf, f, (first,), (second,)), inner.experimental_get_tracing_count()


@row
def python_called_with_text(tf):
    heard = []

    def f(a):
        tf.py_function(lambda t: heard.append(t.numpy().decode()), [a], [])
        turned = tf.py_function(lambda t: t.numpy()[::-1], [a], tf.TensorSpec([], tf.string))
        count = tf.numpy_function(len, [a], tf.int64)
        count.set_shape([])
        return turned, count

    first, _ = _words(tf)
    return [tf.function(f)(a) for a in (first[0], first[1])], heard


@row
def errors_of_text_in_functions(tf):
    number = tf.function(lambda a: tf.strings.to_number(a))
    part = tf.function(lambda a: tf.strings.substr(a, 9, 1))
    lines = tf.function(lambda a: tf.io.decode_csv(a, [0, 0]))
    is_python = tf.function(lambda a: 1 if bool(a == "a") else 2, autograph=False)
    return (
        number(tf.constant("1")), raised(lambda: number(tf.constant("one")), "one"),
        raised(lambda: part(tf.constant("abc")), "pos 9 out of range"), raised(lambda: lines(tf.constant("1,2,3"))),
        raised(lambda: is_python(tf.constant("a")), "Using a symbolic `tf.Tensor` as a Python `bool`"),
        raised(lambda: tf.function(lambda a: a.numpy())(tf.constant("a")), "numpy"),
    )  # fmt: skip


@row
def ragged_arguments_of_text(tf):
    def f(r):
        return tf.strings.upper(r), r.to_tensor("-"), tf.strings.length(r), r.row_lengths()

    first, second = tf.ragged.constant([["a", "b"], [], ["c"]]), tf.ragged.constant([["ab"], ["c"], ["d", "e"]])
    return _called(tf, f, (first,), (second,))[0]


@row
def text_as_part_of_nests(tf):
    def f(features):
        return {**features, "length": tf.strings.length(features["name"]), "total": features["x"] * 2.0}

    first, second = _words(tf)
    made = [{"name": a, "x": tf.constant(float(i))} for i, a in enumerate((first, second))]
    compiled = tf.function(f)
    return [compiled(x) for x in made], compiled.experimental_get_tracing_count()


@row
def rows_of_variables_of_text(tf):
    found = []
    matrix = tf.Variable([["", "", ""]] * 3)
    matrix.scatter_update(tf.IndexedSlices(tf.constant([["a", "b", "c"]]), tf.constant([1])))
    found += [matrix.read_value(), matrix.sparse_read([0, 1]), tf.gather(matrix, [1])]
    tf.compat.v1.scatter_update(matrix, [2], [["x", "y", "z"]])
    found.append(matrix.read_value())
    vector = tf.Variable(["", "a"])
    vector.scatter_nd_update([[0]], ["q"])

    @tf.function
    def change(i, text):
        vector.scatter_nd_update([[i]], [text])
        vector.scatter_update(tf.IndexedSlices(text + "?", 1 - i))
        return vector.sparse_read([0]), vector + "!"

    found += [vector.read_value(), vector.gather_nd([[1]])]
    found += [change(0, tf.constant("zz")), change(tf.constant(1), tf.constant("y")), vector.read_value()]
    found.append(raised(lambda: vector.scatter_add(tf.IndexedSlices(tf.constant(["a"]), tf.constant([1])))))
    return found
