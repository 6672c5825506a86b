"""`tf.experimental.StructuredTensor`: dicts stored by name. Fields of nested lists have no order in TensorFlow."""

import functools

from rows import raised, row, row_for


def _people(tf):
    return tf.experimental.StructuredTensor.from_pyval(
        [{"a": 1, "n": ["x", "y"], "s": {"z": [1.0, 2.0]}}, {"a": 2, "n": [], "s": {"z": []}}]
    )


def _ragged(tf):
    return tf.experimental.StructuredTensor.from_pyval([[{"f": 1}, {"f": 2}], [], [{"f": 3}]])


def _dense(tf):
    return tf.experimental.StructuredTensor.from_fields({"x": [[1, 2], [3, 4]], "y": [[[1], [2]], [[3], [4]]]}, [2, 2])


def _shown(tf, values):
    """A nest with the text of what is made of tensors, and of specs."""
    if type(values) in (list, tuple):
        return [_shown(tf, value) for value in values]
    is_text = hasattr(values, "_type_spec") or isinstance(values, tf.TypeSpec | tf.TensorShape)
    return repr(values) if is_text and not isinstance(values, tf.Tensor) else values


def _as_text(function):
    @functools.wraps(function)
    def shown(tf, **others):
        return _shown(tf, function(tf=tf, **others))

    return shown


def _seen(value):
    """What a StructuredTensor is: its text, shape and partitions."""
    return value, value.shape, [repr(p) for p in value.row_partitions], value.nrows()


_PYTHON = {
    "scalar": {"a": 82, "b": ["Bob", b"Bobby"], "c": 1.5, "d": True},
    "vector": [{"a": 1, "n": {"m": [1]}}, {"a": 2, "n": {"m": []}}],
    "tuple": ({"a": 1}, {"a": 2}),
    "ragged": [[{"f": 1}, {"f": 2}], [], [{"f": 3}]],
    "cube": [[[{"a": 1}], []], [], [[{"a": 3}, {"a": 4}], [{"a": 5}]]],
    "lists": {"a": [1, 2, 3], "b": [[4, 5], [6, 7]], "c": [[]], "d": []},
    "inner": [{"d": [{"t": [1, 2]}, {"t": [3]}]}, {"d": [{"t": [7]}]}, {"d": []}],
    "nothing": {},
    "empty": [{}, {}],
    "empty rows": [[{}], [], [{}, {}]],
    "no dicts": [[1], [2, 3]],
    "number": 3,
}


@row_for(kind=list(_PYTHON))
@_as_text
def from_python(tf, kind):
    made = tf.experimental.StructuredTensor.from_pyval(_PYTHON[kind])
    return _seen(made) if hasattr(made, "to_pyval") else made


@row_for(kind=[kind for kind in _PYTHON if kind not in ("tuple", "no dicts", "number", "scalar")])
@_as_text
def back_to_python(tf, kind):
    return tf.experimental.StructuredTensor.from_pyval(_PYTHON[kind]).to_pyval() == _PYTHON[kind]


@row
@_as_text
def python_values_that_do_not_fit(tf):
    made = tf.experimental.StructuredTensor.from_pyval
    return [
        raised(lambda: made([{"a": 1}, {"a": 2, "b": 3}]), "b"),
        raised(lambda: made([{"a": 1}, {"a": "x"}]), "Error parsing path ('a',)"),
        raised(lambda: made([{"a": 1}, 3]), "Expected dict or nested list/tuple of dict"),
        raised(lambda: made([{"a": {"b": 1}}, {"a": 3}]), "Expected dict or nested list/tuple of dict"),
        raised(lambda: made({"a": [1, [2]]}), "Error parsing path ('a',)"),
        raised(lambda: made({"a": None}), "Error parsing path ('a',)"),
        raised(lambda: made({1: 2}), "Unexpected type for key in `fields`: 1"),
    ]


@row
@_as_text
def from_python_by_a_spec(tf):
    structured = tf.experimental.StructuredTensor
    of = structured.Spec._from_fields_and_rank
    spec, wide = _people(tf)._type_spec, of({"a": tf.TensorSpec([], tf.int64)}, 0)
    rows = of({"a": tf.RaggedTensorSpec([None, None], tf.float32)}, 2)
    return [
        structured.from_pyval({"a": 1}, wide),
        structured.from_pyval([[{"a": 1}], []], rows),
        structured.from_pyval([], _ragged(tf)._type_spec),
        raised(lambda: structured.from_pyval({"a": [1]}, wide), "Value at ('a',) does not match typespec"),
        raised(lambda: structured.from_pyval({"a": 1}, spec), "Value at () does not match typespec"),
        raised(lambda: structured.from_pyval([{"a": 1}, {"a": 2}], spec), "Error parsing path"),
    ]


@row
@_as_text
def from_fields(tf, np):
    of, rows = tf.experimental.StructuredTensor.from_fields, tf.experimental.RowPartition.from_row_lengths
    ragged, narrow = (tf.ragged.constant([[1, 2], [3]], row_splits_dtype=d) for d in (tf.int64, tf.int32))
    made = [
        of({"x": 1, "y": [1, 2, 3]}),
        of({"b": [1, 2], "a": [[1], [2]], "C": np.float32([5, 6])}, [None]),
        of({"x": ragged, "y": ragged + 1}, [2, None]),
        of({"x": [[1, 2], [3, 4]], "y": tf.ragged.constant([[1, 2], [3, 4]])}, [2, None]),
        of({"x": ragged}, [None, None], row_partitions=[rows([2, 1])]),
        of({"x": narrow, "y": ragged}, [None, None]),
        of({"x": narrow}, [None, None]),
        of({"x": [1, 2]}, [None], nrows=tf.constant(2)),
        of({}, [3]), of({}, [2, 2]), of({}, [None], nrows=3), of({}, [2, None], row_partitions=[rows([2, 1])]),
        of({"x": _ragged(tf), "y": [1, 2, 3]}, [3]),
    ]  # fmt: skip
    return [_seen(each) for each in made], [each._type_spec for each in made]


@row
@_as_text
def fields_that_do_not_fit(tf):
    of, rows = tf.experimental.StructuredTensor.from_fields, tf.experimental.RowPartition.from_row_lengths
    ragged, other = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]])
    with_rank = tf.experimental.StructuredTensor.from_fields_and_rank
    return [
        raised(lambda: of({"x": [1, 2], "y": [1, 2, 3]}, [None]), "Error in shape of y"),
        raised(lambda: of({"x": ragged, "y": other}, [2, None], validate=True), "Error in shape of y"),
        raised(lambda: of({"x": ragged}, [2, None], row_partitions=[rows([1, 2])], validate=True), "row_splits"),
        raised(lambda: of({"x": [1, 2]}, [3]), "Shapes (3,) and (2,) are not compatible"),
        raised(lambda: of({"x": [1, 2]}, [2, 2]), "Shapes ", " and (2,) are not compatible"),
        raised(lambda: of({"x": 1}, None), "StructuredTensor's shape must have known rank."),
        raised(lambda: of({"x": 1}, nrows=1), "nrows must be None if shape.rank==0"),
        raised(lambda: of({"x": [1]}, [1], row_partitions=[rows([1])]), "row_partitions must be None or []"),
        raised(lambda: of({"x": ragged}, [2, None], row_partitions=[]), "len(row_partitions) must be shape.rank-1"),
        raised(lambda: of({}, [None]), "Must specify `nrows`"),
        raised(lambda: of({}, [2, None]), "Must specify row_partitions"),
        raised(lambda: of([1]), "fields must be a dictionary, got list"),
        raised(lambda: of({3: 1}), "Unexpected type for key in `fields`: 3"),
        raised(lambda: of({"x": object()}), "Unexpected type for value in `fields`"),
        raised(lambda: of({"x": tf.sparse.from_dense([1])}), "Unexpected type for value in `fields`"),
        *(raised(lambda n=n: of({n: 1}), "is not currently allowed") for n in ("x y", "_x", "", "1a", "a.b", "é")),
        raised(lambda: with_rank({}, 1), "Must provide at least one field"),
        raised(lambda: with_rank({"x": [1]}, 1.0), "rank must be an integer"),
        raised(lambda: with_rank({"x": [1]}, -1), "rank must be nonnegative"),
        raised(lambda: with_rank({"x": [1]}, 2)),
        raised(lambda: tf.experimental.StructuredTensor.from_shape([2]), "expected 'DynamicRaggedShape', got 'list'"),
        raised(lambda: tf.experimental.StructuredTensor(3, tf.experimental.DynamicRaggedShape([], [2]))),
    ]


@row
@_as_text
def from_fields_and_rank_and_from_shape(tf):
    structured, shapes = tf.experimental.StructuredTensor, tf.experimental.DynamicRaggedShape
    ragged = tf.ragged.constant([[1, 2], [3, 4]])
    made = [
        structured.from_fields_and_rank({"x": 1, "y": [1, 2]}, 0),
        structured.from_fields_and_rank({"x": [[1, 2], [3, 4]], "y": ragged}, 2),
        structured.from_fields_and_rank({"x": [1, 2]}, 1, dtype=tf.int32),
        structured.from_shape(shapes.from_lengths([2, (1, 2)])),
        structured.from_shape(shapes.from_lengths([2, 3])),
    ]
    return [_seen(each) for each in made], [each._type_spec for each in made], [each.to_pyval() for each in made]


@row
@_as_text
def fields_by_name_and_path(tf):
    people = _people(tf)
    return [
        sorted(people.field_names()), people.field_value("a"), people.field_value(("s", "z")),
        people.field_value(["s", "z"]), people.field_value(()), people.rank,
        raised(lambda: people.field_value("q"), "q"), raised(lambda: people.field_value(("s", "q")), "q"),
        raised(lambda: people.field_value(("a", "q")), "Field path ("),
    ]  # fmt: skip


@row
@_as_text
def places_and_names_as_keys(tf):
    people, rows, dense = _people(tf), _ragged(tf), _dense(tf)
    one = people[0]
    taken = [
        one, people[-1], people[1:], people[::2], people[::-1], people[tf.constant(1)], people[[0]], people[()],
        people[tf.constant(0) : tf.constant(1)], rows[0], rows[:, :1], rows[1:, ::2], dense[:, 0], dense[0], one[:],
        one["a"], one["n", 0], one["s", "z", 1:], people[:, "a"], people[:, "s", "z", :1], rows[0, 1, "f"],
        dense[:, :, "y", 0], dense[1, :, "x"],
    ]  # fmt: skip
    return taken, [
        raised(lambda: one[0], "Key for indexing a StructuredTensor must be a string or a full slice (':')"),
        raised(lambda: one["b"], "b"), raised(lambda: people["a"]), raised(lambda: dense[2]),
        raised(lambda: people[:, :], "Key for indexing a StructuredTensor must be a string"),
        raised(lambda: people[None], "Slicing not supported for tf.newaxis"),
        raised(lambda: rows[...], "Slicing not supported for Ellipsis"),
        raised(lambda: rows[:, 0], "Cannot index into an inner ragged dimension"), raised(lambda: people[1.0]),
    ]  # fmt: skip


@row
@_as_text
def updates(tf):
    people = _people(tf)
    return [
        people.with_updates({"a": [5, 6]}), people.with_updates({("s", "z"): lambda z: z + 1}),
        people.with_updates({("s", "w"): [1, 2]}), people.with_updates({"a": None}), people.with_updates({}),
        people.with_updates({("s", "z"): None, "a": lambda a: a * 2, "b": tf.ragged.constant([[1], []])}),
        people.with_updates({("s",): None}), people[0].with_updates({"a": [1]}, validate=True),
        _ragged(tf).with_updates({"f": None}),
    ]  # fmt: skip


@row_for(updates=[{("q", "w"): [1, 2]}, {"q": None}, {"s": None, ("s", "z"): None}, {"a": [1]}, {("a", "b"): [1, 2]},
                  {(): None}, {("s", "y"): None}, {"b c": [1, 2]}, {("s", "z", "y"): 1}])  # fmt: skip
@_as_text
def updates_that_are_refused(tf, updates):
    return raised(lambda: _people(tf).with_updates(updates), "`StructuredTensor.with_updates`")


@row
@_as_text
def functions_of_fields_that_are_not_there_or_change_sizes(tf):
    return [
        raised(lambda: _people(tf).with_updates({"q": abs}), "a transforming function was given, but that field"),
        raised(lambda: _people(tf).with_updates({"a": lambda a: a[:1]}), "`StructuredTensor.with_updates` failed"),
    ]


@row
@_as_text
def promoted_fields(tf):
    made = tf.experimental.StructuredTensor.from_pyval
    docs = made(_PYTHON["inner"])
    return [
        docs.promote(("d", "t"), "all"), _people(tf).promote(("s", "z"), "zz"),
        made({"a": {"b": {"c": 1}}}).promote(("a", "b", "c"), "c"),
        made({"a": [{"b": [{"c": [1]}]}]}).promote(("a", "b"), "c"),
        made([{"d": [{"t": 1}, {"t": 2}]}, {"d": [{"t": 3}]}]).promote(("d", "t"), "all"),
        raised(lambda: docs.promote(("d",), "x"), "source_path must have length at least two"),
        raised(lambda: docs.promote("d", "x"), "source_path must be a list or tuple"),
        raised(lambda: docs.promote(("d", "t"), 3), "new_name is not a string"),
        raised(lambda: docs.promote(("d", "q"), "x"), "q"),
    ]  # fmt: skip


@row
@_as_text
def axes_divided_and_merged(tf):
    rows, partition = _ragged(tf), tf.experimental.RowPartition
    lengths = partition.from_row_lengths
    cube = rows.partition_outer_dimension(lengths([2, 1]))
    made = [
        _people(tf).partition_outer_dimension(lengths([2, 0])), cube, rows.merge_dims(0, 1), rows.merge_dims(-2, -1),
        _people(tf).partition_outer_dimension(partition.from_uniform_row_length(1, nvals=2)), cube.merge_dims(1, 2),
        cube.merge_dims(0, 1), cube.merge_dims(0, 2), _dense(tf).merge_dims(0, 1),
        rows.with_updates({"f": None}).merge_dims(0, 1),
    ]  # fmt: skip
    return [_seen(each) for each in made], [
        raised(lambda: rows[0][0].partition_outer_dimension(lengths([2])), "Shape () must have rank at least 1"),
        raised(lambda: rows.partition_outer_dimension([1]), "row_partition must be a RowPartition."),
        raised(lambda: rows.partition_outer_dimension(lengths([5])), "do not form a valid RaggedTensor"),
        raised(lambda: rows.merge_dims(1, 0), "Expected outer_axis (1) to be less than or equal to inner_axis (0)"),
        raised(lambda: rows.merge_dims(0, 2), "inner_axis=2 out of bounds: expected -2<=inner_axis<2"),
        raised(lambda: rows[0, 0].merge_dims(0, 0), "outer_axis=0 out of bounds"),
    ]


@row
@_as_text
def other_dtypes_of_shapes(tf):
    inner = tf.experimental.StructuredTensor.from_pyval(_PYTHON["inner"])
    return [each.with_shape_dtype(tf.int32)._type_spec for each in (_ragged(tf), inner)], raised(
        lambda: inner.with_shape_dtype(tf.float32), "dtype must be int32 or int64"
    )


@row
@_as_text
def components_and_equality(tf):
    inner = tf.experimental.StructuredTensor.from_pyval(_PYTHON["inner"])
    again = tf.nest.map_structure(lambda x: x, inner, expand_composites=True)
    dense = _dense(tf)
    return [
        tf.nest.flatten(inner, expand_composites=True), again == inner, inner == dense, dense != dense,
        dense == dense.with_updates({"x": [[1, 2], [3, 5]]}), tf.identity(inner), raised(lambda: hash(inner)),
        dense._type_spec.is_compatible_with(dense), dense._type_spec.shape, _ragged(tf)._type_spec.rank,
        raised(lambda: setattr(inner, "x", 1), "Cannot mutate attribute `x`"), raised(lambda: inner + 1),
    ]  # fmt: skip


@row
@_as_text
def in_functions_and_control_flow(tf):
    structured = tf.experimental.StructuredTensor
    of = structured.Spec._from_fields_and_rank

    @tf.function
    def doubled(x):
        return x.with_updates({"a": lambda a: a * 2}), x[0], x.nrows()

    @tf.function(input_signature=[of({"a": tf.TensorSpec([None], tf.int32)}, 1)])
    def added(x):
        return x.field_value("a") + 1

    @tf.function(input_signature=[of({"f": tf.RaggedTensorSpec([None, None], tf.int32)}, 2)])
    def rows(x):
        return x.merge_dims(0, 1)[1:, "f"], x[:, 1:, "f"], x.with_updates({"f": lambda f: f + 1}), x.nrows()

    @tf.function
    def as_python(x):
        return x.to_pyval()

    vector = structured.from_fields({"a": [1, 2]}, [2])
    return [
        doubled(_people(tf)), added(vector), added(structured.from_pyval([{"a": 3}])), rows(_ragged(tf)),
        tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x.with_updates({"a": lambda a: a + 1})), [0, vector]),
        tf.cond(tf.constant(False), lambda: vector, lambda: vector.with_updates({"a": [7, 8]})),
        raised(lambda: as_python(vector), "StructuredTensor.to_pyval() is only supported in eager mode."),
    ]  # fmt: skip


@row
@_as_text
def in_datasets(tf):
    dataset = tf.data.Dataset
    sliced, of_rows = dataset.from_tensor_slices(_people(tf)), dataset.from_tensor_slices(_ragged(tf))
    return [
        list(sliced), list(sliced.batch(2)), list(sliced.map(lambda x: x["a"])), list(of_rows), list(of_rows.batch(2)),
        of_rows.element_spec, of_rows.batch(2).element_spec, list(dataset.from_tensors(_people(tf)).unbatch()),
        tf.map_fn(lambda x: x["a"] * 2, _people(tf), fn_output_signature=tf.int32),
    ]  # fmt: skip


@row
@_as_text
def in_saved_models(tf, folder):
    structured = tf.experimental.StructuredTensor

    class Module(tf.Module):
        @tf.function(input_signature=[structured.Spec._from_fields_and_rank({"x": tf.TensorSpec([None], tf.int32)}, 1)])
        def added(self, x):
            return x.with_updates({"x": lambda y: y + 1}).field_value("x")

    tf.saved_model.save(Module(), folder)
    return tf.saved_model.load(folder).added(structured.from_fields({"x": [1, 2]}, [2]))
