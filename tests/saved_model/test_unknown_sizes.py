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
}  # fmt: skip
# Of these no program for all values can be saved.
CALLED_ONLY = {
    "repeats": lambda v, i, n, m, p: tf.repeat(v, i),
    "sequence_mask": lambda v, i, n, m, p: tf.sequence_mask(i),
    "bincount": lambda v, i, n, m, p: tf.math.bincount(i),
    "partition": lambda v, i, n, m, p: tf.dynamic_partition(v, i, 3),
    "array": lambda v, i, n, m, p: tf.TensorArray(tf.float32, n).unstack(tf.ones([n])).stack(),
    "ragged": lambda v, i, n, m, p: tf.RaggedTensor.from_row_lengths(v, i).to_tensor(),
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
