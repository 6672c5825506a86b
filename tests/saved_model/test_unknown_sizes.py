"""Functions of tensors of unknown size: concrete, saved, and loaded they give what they give when they are called."""

import numpy as np
import pytest

import tfcompat as tf

VECTOR, NUMBERS, NUMBER = tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)
MATRIX, PICTURES = tf.TensorSpec([None, None]), tf.TensorSpec([None, None, None, 3])
SIGNATURE = VECTOR, NUMBERS, NUMBER, MATRIX, PICTURES
ARGUMENTS = (
    tf.constant([3.0, 1.0, 2.0]), tf.constant([2, 0, 1]), tf.constant(4), tf.reshape(tf.range(6.0), [2, 3]),
    tf.reshape(tf.range(48.0), [1, 4, 4, 3]),
)  # fmt: skip


def size(x, axis=0):
    return tf.shape(x)[axis]


def boxes(v):
    return tf.stack([v, v, v + 0.75, v + 0.75], 1) / 4.0


# Functions (vector, numbers, number, matrix, pictures) whose sizes no rule tells for symbols.
BY_SIZES = {
    "slice to half": lambda v, i, n, m, p: v[: size(v) // 2],
    "slice of a block": lambda v, i, n, m, p: m[: size(m) - 1, : size(m, 1) // 2],
    "reshape in two rows": lambda v, i, n, m, p: tf.reshape(p, [2, -1]),
    "reshape in patches": lambda v, i, n, m, p: tf.reshape(p, [size(p), size(p, 1) // 2, 2, size(p, 2) // 2, 2, 3]),
    "pad to a size": lambda v, i, n, m, p: tf.pad(v, [[0, 8 - size(v)]]),
    "pad and cut": lambda v, i, n, m, p: tf.pad(m, [[1, 0], [0, tf.maximum(0, 5 - size(m, 1))]])[:, :5],
    "mirror": lambda v, i, n, m, p: tf.pad(p, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"),
    "convolution, steps of 2": lambda v, i, n, m, p: tf.nn.conv2d(p, tf.ones([3, 3, 3, 2]), 2, "SAME"),
    "convolution, valid": lambda v, i, n, m, p: tf.nn.conv2d(p, tf.ones([3, 3, 3, 2]), 1, "VALID"),
    "pooling": lambda v, i, n, m, p: tf.nn.avg_pool2d(p, 3, 1, "SAME"),
    "patches": lambda v, i, n, m, p: tf.image.extract_patches(p, [1, 2, 2, 1], [1, 2, 2, 1], [1] * 4, "VALID"),
    "space to depth": lambda v, i, n, m, p: tf.nn.space_to_depth(p, 2),
    "split": lambda v, i, n, m, p: tf.split(p, 2, 1),
    "argmax": lambda v, i, n, m, p: tf.argmax(m, 1),
    "gather of argmax": lambda v, i, n, m, p: tf.gather(m, tf.argmax(m, 1), axis=1, batch_dims=1),
    "top_k": lambda v, i, n, m, p: tf.math.top_k(v, 2),
    "searchsorted": lambda v, i, n, m, p: tf.searchsorted(tf.sort(v), [1.5, 2.5]),
    "linspace": lambda v, i, n, m, p: tf.linspace(0.0, 1.0, size(v)),
    "sequence_mask": lambda v, i, n, m, p: tf.sequence_mask(i, size(m, 1)),
    "reverse_sequence": lambda v, i, n, m, p: tf.reverse_sequence(m, tf.fill([size(m)], 1), 1),
    "Fourier": lambda v, i, n, m, p: tf.abs(tf.signal.rfft(v)),
    "frames": lambda v, i, n, m, p: tf.signal.frame(v, 2, 1),
    "frames with an end": lambda v, i, n, m, p: tf.signal.frame(v, 2, 2, pad_end=True),
    "spectrogram": lambda v, i, n, m, p: tf.abs(tf.signal.stft(tf.tile(v, [8]), 8, 4)),
    "crop": lambda v, i, n, m, p: tf.image.crop_to_bounding_box(p, 0, 0, size(p, 1) - 1, size(p, 2) - 1),
    "central_crop": lambda v, i, n, m, p: tf.image.central_crop(p, 0.5),
    "crop or pad": lambda v, i, n, m, p: tf.image.resize_with_crop_or_pad(p, 2, 6),
    "square": lambda v, i, n, m, p: tf.image.resize_with_crop_or_pad(p, *[tf.reduce_max(tf.shape(p)[1:3])] * 2),
    "sizes unpacked": lambda v, i, n, m, p: (lambda b, h, w, c: tf.reshape(p, [b * h, w, c]))(*tf.shape(p)),
    "sizes unstacked": lambda v, i, n, m, p: tf.reshape(p, [-1, *tf.unstack(tf.shape(p)[2:])]),
    "sizes split": lambda v, i, n, m, p: tf.reshape(p, tf.concat([[-1], tf.split(tf.shape(p), [2, 2])[1]], 0)),
    "resize twice": lambda v, i, n, m, p: tf.image.resize(p, [size(p, 1) * 2, size(p, 2) * 2]),
    "resize by floats": lambda v, i, n, m, p: tf.image.resize(
        p, tf.cast(tf.cast(tf.shape(p)[1:3], "float32") * 0.5, "int32")
    ),
    "resize to fit": lambda v, i, n, m, p: tf.image.resize(p, [6, 7], preserve_aspect_ratio=True),
    "resize with a border": lambda v, i, n, m, p: tf.image.resize_with_pad(p, 3, 7),
    "resize in a layer": lambda v, i, n, m, p: tf.keras.layers.UpSampling2D(2, interpolation="bilinear")(p),
    "slopes": lambda v, i, n, m, p: tf.image.sobel_edges(p),
    "outlines": lambda v, i, n, m, p: tf.image.draw_bounding_boxes(
        p, tf.ones([size(p), 1, 4]) * [0.0, 0.2, 0.6, 0.9], [[1.0, 0.0, 0.0]]
    ),
    "crops": lambda v, i, n, m, p: tf.image.crop_and_resize(p, [[0.1, 0.2, 0.6, 0.9]], [0], [3, 2]),
    "largest of windows": lambda v, i, n, m, p: tuple(tf.nn.max_pool_with_argmax(p, 2, [2, 1], "SAME")),
    "neighbouring channels": lambda v, i, n, m, p: tf.nn.local_response_normalization(p, 1, alpha=0.1, beta=0.7),
    "frames added": lambda v, i, n, m, p: tf.signal.overlap_and_add(tf.stack([m, m]), 1),
    "window": lambda v, i, n, m, p: (tf.signal.hann_window(size(v)), tf.signal.hamming_window(size(m), periodic=False)),
    "greedy paths": lambda v, i, n, m, p: tf.nn.ctc_greedy_decoder(m[:, None], [size(m)], blank_index=0)[0][0].values,
    "paths of beams": lambda v, i, n, m, p: [
        tf.sparse.to_dense(path, default_value=-1)
        for path in tf.nn.ctc_beam_search_decoder(m[:, None], [size(m)], 4, 2)[0]
    ],
    "average loss": lambda v, i, n, m, p: tf.nn.compute_average_loss(v),
    "statistics": lambda v, i, n, m, p: tf.nn.sufficient_statistics(m, [0, 1])[:3],
}  # fmt: skip
BY_VALUES = {
    "slice to a number": lambda v, i, n, m, p: v[: n - 2],
    "slice by numbers": lambda v, i, n, m, p: tf.slice(m, [0, 1], [1, n - 3]),
    "tile": lambda v, i, n, m, p: tf.tile(v, [n]),
    "repeat": lambda v, i, n, m, p: tf.repeat(m, n, axis=1),
    "pad": lambda v, i, n, m, p: tf.pad(v, [[n, 1]]),
    "concat": lambda v, i, n, m, p: tf.concat([v, tf.zeros([n])], 0),
    "linspace": lambda v, i, n, m, p: tf.linspace(0.0, 1.0, n),
    "top_k": lambda v, i, n, m, p: tf.math.top_k(v, n - 2),
    "split": lambda v, i, n, m, p: tf.split(v, [n - 3, n - 2]),
    "crop": lambda v, i, n, m, p: tf.image.crop_to_bounding_box(p, 0, 0, n - 1, n - 2),
    "crop or pad": lambda v, i, n, m, p: tf.image.resize_with_crop_or_pad(p, n + 1, n - 1),
    "resize": lambda v, i, n, m, p: tf.image.resize(p, [n * 2, n]),
    "one_hot": lambda v, i, n, m, p: tf.one_hot(i, n),
    "range": lambda v, i, n, m, p: tf.gather(v, tf.range(n - 2)),
    "boxes": lambda v, i, n, m, p: tf.gather(v, tf.image.non_max_suppression(boxes(v), v, n - 2)),
    "boxes and scores": lambda v, i, n, m, p: tf.image.non_max_suppression_with_scores(boxes(v), v, 2, 0.1),
    "boxes of classes": lambda v, i, n, m, p: tuple(
        tf.image.combined_non_max_suppression(boxes(v)[None, :, None], v[None, :, None], 2, 4)
    ),
    "repeats": lambda v, i, n, m, p: (tf.repeat(v, i), tf.repeat(p, tf.range(size(p, 1)), axis=1), tf.repeat(v, i[:1])),
    "mask of the longest": lambda v, i, n, m, p: tf.sequence_mask(i, dtype=tf.float32),
    "partition": lambda v, i, n, m, p: tf.dynamic_partition(m, i[:2], 3),
    "partition and stitch": lambda v, i, n, m, p: tf.dynamic_stitch(
        tf.dynamic_partition(tf.range(size(v)), tf.cast(v > 1.5, "int32"), 2),
        [-x for x in tf.dynamic_partition(v, tf.cast(v > 1.5, "int32"), 2)],
    ),
    "counts": lambda v, i, n, m, p: (tf.math.bincount(i), tf.math.bincount(i, v, minlength=n, maxlength=n + 1)),
    "counts of rows": lambda v, i, n, m, p: tf.math.bincount(tf.stack([i, i + 1]), axis=-1, binary_output=True),
    "segments": lambda v, i, n, m, p: (tf.math.segment_sum(v, tf.sort(i)), tf.math.segment_max(v, tf.sort(i) // 2)),
    "distinct": lambda v, i, n, m, p: tuple(tf.unique_with_counts(i // 2)),
    "left out": lambda v, i, n, m, p: tuple(tf.raw_ops.ListDiff(x=i, y=i[:1])),
    "sparse": lambda v, i, n, m, p: (tf.sparse.from_dense(m).values, tf.sparse.to_dense(tf.sparse.from_dense(m))),
}  # fmt: skip
ROWS = {
    "of lengths": lambda v, i: tf.RaggedTensor.from_row_lengths(v, i),
    "of splits": lambda v, i: tf.RaggedTensor.from_row_splits(v, tf.concat([[0], tf.cumsum(i)], 0)),
    "of ids": lambda v, i: tf.RaggedTensor.from_value_rowids(v, tf.sort(i)),
    "of ids and their number": lambda v, i: tf.RaggedTensor.from_value_rowids(v, tf.sort(i), size(v) + 1),
    "of starts": lambda v, i: tf.RaggedTensor.from_row_starts(v, tf.concat([[0], tf.cumsum(i)[:-1]], 0)),
    "of limits": lambda v, i: tf.RaggedTensor.from_row_limits(v, tf.cumsum(i)),
    "of padded rows": lambda v, i: tf.RaggedTensor.from_tensor(tf.stack([v, v // 2.0]), padding=1.0),
    "of starts of rows": lambda v, i: tf.RaggedTensor.from_tensor(tf.stack([v, v, v]), lengths=i),
    "of whole rows": lambda v, i: tf.RaggedTensor.from_tensor(tf.stack([v, v])),
}  # fmt: skip


def _told(make):
    def function(v, i, n, m, p):
        rows = make(v, i)
        return rows.to_tensor(-1.0), tf.reduce_sum(rows, 1), tf.reduce_max(rows * rows, 1), rows.value_rowids()

    return function


BY_VALUES |= {f"rows {name}": _told(make) for name, make in ROWS.items()}
# Of these no program for all values can be saved.
CALLED_ONLY = {
    "pairs": lambda v, i, n, m, p: tf.math.confusion_matrix(i, i),
    "array": lambda v, i, n, m, p: tf.TensorArray(tf.float32, n).unstack(tf.ones([n])).stack(),
}  # fmt: skip
SAVED = {**{f"sizes: {k}": f for k, f in BY_SIZES.items()}, **{f"values: {k}": f for k, f in BY_VALUES.items()}}


def check_same(result, expected):
    for x, y in zip(tf.nest.flatten(result), tf.nest.flatten(expected), strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=1e-5)


@pytest.mark.parametrize("name", SAVED)
def test_saved_functions_give_what_the_function_gives(name, tmp_path):
    module = tf.Module()
    module.f = tf.function(SAVED[name], input_signature=SIGNATURE)
    tf.saved_model.save(module, str(tmp_path))
    check_same(tf.saved_model.load(str(tmp_path)).f(*ARGUMENTS), SAVED[name](*ARGUMENTS))


@pytest.mark.parametrize("function", [*BY_VALUES.values(), *CALLED_ONLY.values()], ids=[*BY_VALUES, *CALLED_ONLY])
def test_concrete_functions_give_what_the_function_gives(function):
    check_same(tf.function(function).get_concrete_function(*SIGNATURE)(*ARGUMENTS), function(*ARGUMENTS))


def test_the_largest_size_that_fits_is_not_taken_for_the_only_one(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda v: tf.pad(v, [[0, 8 - size(v)]]), input_signature=[VECTOR])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for count in (0, 3, 8):
        check_same(loaded.f(tf.ones([count])), module.f(tf.ones([count])))
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.f(tf.ones([9]))
    module.f = tf.function(lambda v: tf.zeros([8 - size(v)]), input_signature=[VECTOR])
    with pytest.raises(tf.errors.UnimplementedError, match="Give sizes in the input_signature"):
        tf.saved_model.save(module, str(tmp_path / "refused"))


def test_sizes_are_known_by_indices_that_are_inputs(tmp_path):
    sizes = tf.constant([7, 5, 3, 2])
    for start in range(4):  # so many different keys that the numbers in them become inputs
        assert int(sizes[start]) == sizes.numpy()[start]
        for stop in range(start + 1, 5):
            assert sizes[start:stop].shape == [stop - start]
    module = tf.Module()
    module.f = tf.function(lambda p: tf.reshape(p, [tf.shape(p)[0] * tf.shape(p)[1], *tf.shape(p)[2:4]]), [PICTURES])
    tf.saved_model.save(module, str(tmp_path))
    check_same(tf.saved_model.load(str(tmp_path)).f(ARGUMENTS[-1]), module.f(ARGUMENTS[-1]))
    module.f = tf.function(lambda x: (x[1:3] * x[2], x[-1]), [tf.TensorSpec([4], tf.int32)])
    tf.saved_model.save(module, str(tmp_path))
    check_same(tf.saved_model.load(str(tmp_path)).f(sizes), (sizes[1:3] * sizes[2], sizes[3]))
    assert not (tmp_path / "functions").exists()  # there are nodes for all of it, which TensorFlow knows


def test_a_size_that_a_function_needs_is_asked_of_its_arguments(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda m: tf.ensure_shape(m, [None, 3]) * 2.0, input_signature=[MATRIX])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    check_same(loaded.f(ARGUMENTS[3]), ARGUMENTS[3] * 2.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not compatible with expected shape \(None, 3\)"):
        loaded.f(tf.ones([2, 4]))


def test_boxes_are_kept_between_the_programs_of_a_function():
    f = tf.function(lambda v: tf.gather(v, tf.image.non_max_suppression(boxes(v), v, 2)) * 2.0)
    for _ in range(2):
        check_same(f(ARGUMENTS[0]), tf.constant([6.0, 4.0]))
    assert f.experimental_get_tracing_count() == 1


def _states(x):
    """A recurrence written by hand, of any batch and number of steps."""
    x = tf.transpose(x, [1, 0, 2])
    count = tf.shape(x)[0]
    steps, states = tf.TensorArray(tf.float32, count).unstack(x), tf.TensorArray(tf.float32, count)
    state = tf.zeros_like(x[0])
    for t in tf.range(count):
        state = tf.tanh(steps.read(t) + 0.5 * state)
        states = states.write(t, state)
    return tf.transpose(states.stack(), [1, 0, 2]), state


def _backwards(v):
    count = size(v)
    result = tf.TensorArray(tf.float32, count, element_shape=[])
    for i in tf.range(count):
        result = result.write(count - 1 - i, v[i])
    return result.stack(), result.size()


def _words(v):
    """Numbers after one another, each of all before it, until one is 3."""
    words = tf.TensorArray(tf.int32, 0, dynamic_size=True).write(0, [1])
    for i in tf.range(size(v)):
        words = words.write(i + 1, tf.reduce_sum(words.stack(), 0) % 7)
        if words.stack()[-1, 0] == 3:
            break
    return tf.transpose(words.stack())


@pytest.mark.parametrize(
    ("function", "spec", "shapes"),
    [
        (_states, tf.TensorSpec([None, None, 3]), [(2, 4, 3), (1, 1, 3)]),
        (_backwards, VECTOR, [(4,), (1,)]),
        (_words, VECTOR, [(5,), (1,)]),
    ],
)
def test_arrays_of_unknown_sizes_are_saved(function, spec, shapes, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for shape in shapes:
        x = tf.sin(tf.reshape(tf.range(np.prod(shape), dtype=tf.float32), shape))
        check_same(loaded.f(x), module.f(x))


def test_as_few_sizes_as_possible_are_stated(tmp_path):
    module, updates = tf.Module(), tf.TensorSpec([None, None])
    module.f = tf.function(lambda m, u: tf.tensor_scatter_nd_add(m, [[1], [0]], u), input_signature=[MATRIX, updates])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for rows, columns in ((2, 3), (4, 1), (3, 2)):
        arguments = tf.ones([rows, columns]), tf.ones([2, columns])
        check_same(loaded.f(*arguments), module.f(*arguments))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.histogram_fixed_width(x, [0.0, 4.0], 4),  # its dtype is an argument
        lambda x: tf.space_to_batch(x[None, :, :2, None], [1, 2], [[0, 0], [0, 0]]),
        lambda x: tf.round(tf.cast(x, "int32")),  # whose node gives zeros
        lambda x: tf.image.total_variation(x[:, :, None]),
        lambda x: (tf.sort(x, 0), tf.argsort(tf.cast(x, "uint8"), direction="DESCENDING"), tf.argsort(x, 0)),
        lambda x: tf.linalg.lstsq(x, tf.constant([[1.0], [2.0]])),
        lambda x: tf.linalg.tridiagonal_solve(tf.stack([x[0], x[1] + 9.0, x[0]]), x[1]),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), tf.cast(x, "float16")),
        lambda x: tf.image.crop_and_resize(x[None, :, :, None], [[0.0, 0.2, 1.0, 0.9]], [0], [3, 2], "nearest"),
        lambda x: tf.nn.local_response_normalization(x[None, None], 1, alpha=0.1, beta=0.7),
    ],
)
def test_nodes_are_those_of_the_call(function, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([2, 3])])
    tf.saved_model.save(module, str(tmp_path))
    assert not (tmp_path / "functions").exists()
    check_same(tf.saved_model.load(str(tmp_path)).f(ARGUMENTS[3]), function(ARGUMENTS[3]))


def test_arrays_get_elements_in_loops_that_are_no_traces():
    def longer(i, a):
        return i + 1, tf.TensorArray(tf.float32, i + 1).unstack(tf.ones([i + 1]))

    _, array = tf.while_loop(lambda i, a: i < 3, longer, (tf.constant(0), tf.TensorArray(tf.float32, 0)))
    assert array.stack().shape == [3]
