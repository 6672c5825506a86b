"""Functions of `tf.compat.v1` that compute something else than those of TensorFlow 2, by name."""

import enum
import unittest.mock

import tfcompat as tf
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graph_variables import GraphVariable
from tfcompat.errors import UnimplementedError
from tfcompat.io._records import records
from tfcompat.nn._ctc import beams_without_repetition, loss_of_sparse

FUNCTIONS: dict = {}


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def _named(*names):
    def decorate(function):
        for name in names:
            FUNCTIONS[name] = function
        return function

    return decorate


FUNCTIONS["lookup.StaticHashTable"] = tf.lookup.StaticHashTable
FUNCTIONS["lookup.StaticVocabularyTable"] = tf.lookup.StaticVocabularyTable


@_named("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """As in TensorFlow 2, but that no gradient goes to `labels`.

    TF: `tf.compat.v1.nn.softmax_cross_entropy_with_logits`.
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    _both_given(labels, logits)
    return tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits, axis=dim if axis is None else axis)


@_named("nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """`tf.nn.softmax_cross_entropy_with_logits`. TF: `tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2`."""
    axis = dim if axis is None else axis
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=-1 if axis is None else axis)


def _both_given(labels, logits):
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@_named("convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A SparseTensor as it is, anything else as a tensor. TF: `tf.compat.v1.convert_to_tensor_or_sparse_tensor`."""
    if isinstance(value, tf.compat.v1.SparseTensorValue):
        value = tf.SparseTensor(*value)
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and tf.as_dtype(dtype) != value.dtype:
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {tf.as_dtype(dtype).name},  Actual: {value.dtype.name}")
    return value


@_named("nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """`tf.nn.dropout`, told what is kept rather than what is dropped.

    Args:
      x: tensor of floats.
      keep_prob: what part of the elements stays.
      noise_shape, seed: as in TensorFlow 2.
      name: ignored.
      rate: what part is dropped, in place of `keep_prob`.

    TF: `tf.compat.v1.nn.dropout`.
    """
    if keep_prob is not None and rate is not None:
        raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    return tf.nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed)


@_named("nn.xw_plus_b")
def xw_plus_b(x, weights, biases, name=None):
    """`x @ weights + biases`. TF: `tf.compat.v1.nn.xw_plus_b`."""
    return tf.nn.bias_add(tf.matmul(x, weights), biases)


@_named("nn.relu_layer")
def relu_layer(x, weights, biases, name=None):
    """`relu(x @ weights + biases)`. TF: `tf.compat.v1.nn.relu_layer`."""
    return tf.nn.relu(xw_plus_b(x, weights, biases))


@_named("nn.fused_batch_norm")
def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True,
                     name=None, exponential_avg_factor=1.0):  # fmt: skip
    """A normalized batch of pictures, its means, and its variances without bias.

    Args:
      x: floats of shape [batch, height, width, channels], or as `data_format` says.
      scale, offset: a number for each channel.
      mean, variance: what to use where not `is_training`; else the averages that those of the batch move.
      epsilon: what is added to the variance.
      data_format: "NHWC" or "NCHW".
      is_training: whether means and variances are those of the batch.
      name: ignored.
      exponential_avg_factor: how much those of the batch count.

    TF: `tf.compat.v1.nn.fused_batch_norm`.
    """
    axes, shape = ([0, 2, 3], [1, -1, 1, 1]) if data_format == "NCHW" else ([0, 1, 2], [1, 1, 1, -1])
    x = convert_to_tensor(x)
    if is_training:
        batch_mean, biased = tf.nn.moments(tf.cast(x, tf.float32), axes)
        count = tf.cast(tf.size(x) // tf.size(batch_mean), tf.float32)
        new_mean, new_variance = batch_mean, biased * (count / tf.maximum(count - 1.0, 1.0))
        if exponential_avg_factor != 1.0:
            new_mean = mean + (new_mean - mean) * exponential_avg_factor
            new_variance = variance + (new_variance - variance) * exponential_avg_factor
    else:
        batch_mean, biased = new_mean, new_variance = convert_to_tensor(mean), convert_to_tensor(variance)
    parts = [tf.reshape(tf.cast(part, x.dtype), shape) for part in (batch_mean, biased, offset, scale)]
    return tf.nn.batch_normalization(x, *parts, epsilon), new_mean, new_variance


def _blocks(block_size, block_shape):
    block = block_size if block_shape is None else block_shape
    return [block, block] if isinstance(block, int) else block


@_named("batch_to_space")
def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """`tf.batch_to_space`; one number is the size of a block in height and width. TF: `tf.compat.v1.batch_to_space`."""
    return tf.batch_to_space(input, _blocks(block_size, block_shape), crops)


@_named("space_to_batch", "nn.space_to_batch")
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """`tf.space_to_batch`; one number is the size of a block in height and width. TF: `tf.compat.v1.space_to_batch`."""
    return tf.space_to_batch(input, _blocks(block_size, block_shape), paddings)


@_named("while_loop")
def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False):  # fmt: skip
    """`tf.while_loop`, which gives a single value as itself rather than in a list.

    Args:
      return_same_structure: whether a single value stays in its list.

    The others are those of `tf.while_loop`, in another order.
    TF: `tf.compat.v1.while_loop`.
    """
    results = tf.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
                          maximum_iterations)  # fmt: skip
    alone = isinstance(results, list | tuple) and len(results) == 1 and not return_same_structure
    return results[0] if alone else results  # pyright: ignore


@_named("Print")
def print_(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`; what is in `data` is printed to the standard error stream by `tf.print`, every time.

    TF: `tf.compat.v1.Print`, without `first_n`.
    """
    if first_n is not None and first_n >= 0:
        raise UnimplementedError(None, None, "tf.compat.v1.Print with first_n: use tf.print")
    with tf.control_dependencies([tf.print(message or "", *data, summarize=summarize or 3, sep="")]):
        return tf.identity(input_)


@_named("string_split")
def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """The parts of texts, between any one of the characters of `sep`.

    Args:
      source: vector of texts.
      sep, delimiter: str, by default a space; the empty string splits into bytes.
      skip_empty: whether empty parts are left out.
      result_type: "SparseTensor" or "RaggedTensor".
      name: ignored.

    Raises:
      ValueError: an unknown `result_type`.

    TF: `tf.compat.v1.string_split`.
    """
    if sep is not None and delimiter is not None:
        raise ValueError("Cannot specify both 'sep' and 'delimiter'.")
    sep = delimiter if sep is None else sep
    sep = b" " if sep is None else sep
    separators = sep.encode() if isinstance(sep, str) else bytes(convert_to_tensor(sep).numpy())
    rows = []
    for text in convert_to_tensor(source, tf.string).numpy().tolist():
        parts = [bytes([byte]) for byte in text] if not separators else _between(text, separators)
        rows.append([part for part in parts if part or not skip_empty])
    return _as_result(tf.ragged.constant(rows, tf.string, ragged_rank=1), result_type)


def _between(text, separators):
    parts = [b""]
    for byte in text:
        if byte in separators:
            parts.append(b"")
        else:
            parts[-1] += bytes([byte])
    return parts


def _as_result(ragged, result_type):
    if result_type in ("SparseTensor", "RaggedTensor"):
        return ragged.to_sparse() if result_type == "SparseTensor" else ragged
    raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@_named("strings.split")
def strings_split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """`tf.strings.split` of a vector, as a sparse tensor by default. TF: `tf.compat.v1.strings.split`."""
    if input is not None and source is not None:
        raise ValueError("Cannot specify both 'input' and 'source'.")
    parts = tf.strings.split(source if input is None else input, sep, maxsplit)
    if not isinstance(parts, tf.RaggedTensor):
        parts = tf.RaggedTensor.from_row_lengths(parts, [parts.shape[0]])
    return _as_result(parts, result_type)


@_named("sparse_to_dense")
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A tensor with values at some places.

    Args:
      sparse_indices: integers, the places: a matrix with a row for each, a vector, or one number.
      output_shape: integers.
      sparse_values: a value for each place, or one for all.
      default_value: what is elsewhere.
      validate_indices, name: ignored.

    TF: `tf.compat.v1.sparse_to_dense`.
    """
    places = convert_to_tensor(sparse_indices)
    places = tf.reshape(places, [-1, 1]) if places.shape.rank < 2 else places
    values = convert_to_tensor(sparse_values)
    empty = tf.fill(output_shape, tf.cast(default_value, values.dtype))
    return tf.tensor_scatter_nd_update(empty, places, tf.broadcast_to(values, [places.shape[0]]))


@_named("clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    """`t`, made smaller where its norm for each element is larger than `clip_norm`.

    TF: `tf.compat.v1.clip_by_average_norm`.
    """
    t = convert_to_tensor(t)
    scale = tf.math.rsqrt(tf.reduce_sum(t * t)) * tf.cast(tf.size(t), t.dtype)
    return t * clip_norm * tf.minimum(scale, tf.constant(1.0, t.dtype) / clip_norm)


_METHODS = ("bilinear", "nearest", "bicubic", "area")


def _legacy(images, size, align_corners, method, half_pixel_centers=False):
    """Pictures resized as TensorFlow 1 does it: places are those of corners of pixels, not of their centers."""
    images = convert_to_tensor(images)
    if half_pixel_centers:
        resized = tf.image.resize(images, size, method)
        return resized
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        old = images.shape[axis]
        scale = (old - 1) / (new - 1) if align_corners and new > 1 else old / new
        places = tf.range(new, dtype=tf.float32) * tf.constant(scale, tf.float32)
        if method == "nearest":
            at = tf.cast(tf.floor(places + 0.5) if align_corners else tf.floor(places), tf.int32)
            images = tf.gather(images, tf.minimum(at, old - 1), axis=axis)
            continue
        images = tf.cast(images, tf.float32)
        low = tf.floor(places)
        shape = [-1 if axis == i else 1 for i in range(4)]
        first = tf.gather(images, tf.cast(low, tf.int32), axis=axis)
        second = tf.gather(images, tf.minimum(tf.cast(low, tf.int32) + 1, old - 1), axis=axis)
        images = first + (second - first) * tf.reshape(places - low, shape)
    return images


@_named("image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):
    """Windows of pictures, as the first version of the op cuts them. TF: `tf.compat.v1.image.extract_glimpse`."""
    noise = "uniform" if uniform_noise else "gaussian"
    return tf.raw_ops.ExtractGlimpse(
        input=input, size=size, offsets=offsets, centered=centered, normalized=normalized,
        uniform_noise=uniform_noise, noise=noise,
    )  # fmt: skip


@_named("image.resize_bilinear")
def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures at another size, between the nearest pixels. TF: `tf.compat.v1.image.resize_bilinear`."""
    return _legacy(images, size, align_corners, "bilinear", half_pixel_centers)


@_named("image.resize_nearest_neighbor")
def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures at another size, by nearest pixels. TF: `tf.compat.v1.image.resize_nearest_neighbor`."""
    return _legacy(images, size, align_corners, "nearest", half_pixel_centers)


@_named("image.resize_images", "image.resize")
def resize_images(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Pictures at another size, as TensorFlow 1 places pixels.

    Args:
      images: [batch, height, width, channels], or one picture.
      size: the new height and width.
      method: "bilinear", "nearest", "area" or their number in `tf.compat.v1.image.ResizeMethod`.
      align_corners: whether the centers of the outer pixels stay.
      preserve_aspect_ratio: whether the result is the largest inside of `size` with the proportions of `images`.
      name: ignored.

    Raises:
      tf.errors.UnimplementedError: bicubic.

    TF: `tf.compat.v1.image.resize_images`, without "bicubic".
    """
    images = convert_to_tensor(images)
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    method = _METHODS[method] if isinstance(method, int) else getattr(method, "value", method)
    old = images.shape.as_list()[-3:-1]
    size = [int(n) for n in convert_to_tensor(size)]
    if preserve_aspect_ratio:
        scale = min(size[0] / old[0], size[1] / old[1])
        size = [round(n * scale) for n in old]
    if size == old:
        return images
    if method == "bicubic":
        raise UnimplementedError(
            None, None, "tf.compat.v1.image.resize_images: bicubic is not available in tfcompat: use tf.image.resize"
        )
    batch = images[tf.newaxis] if images.shape.rank == 3 else images
    if method == "area":
        batch = tf.image.resize(batch, size, method)
    else:
        batch = _legacy(batch, size, align_corners, method)
    return batch[0] if images.shape.rank == 3 else batch


def _updating(name):
    def update(ref, indices, updates, use_locking=False, name=None):
        return method(ref, indices, updates)

    def method(ref, indices, updates):
        if isinstance(ref, GraphVariable):
            return ref.scattered(name, indices, updates)
        if "_nd_" in name:
            return getattr(ref, name)(indices, updates)
        updates = convert_to_tensor(updates, dtype_hint=ref.dtype)
        return getattr(ref, name)(tf.IndexedSlices(updates, convert_to_tensor(indices)))

    update.__name__ = name
    update.updates_variables = True
    update.__doc__ = f"`ref.{name}`. TF: `tf.compat.v1.{name}`."
    return update


for _name in ("update", "add", "sub", "mul", "div", "max", "min", "nd_update", "nd_add", "nd_sub"):
    _name = f"scatter_{_name}"
    FUNCTIONS[_name] = _updating(_name)


class ResizeMethod:
    """Numbers of methods of resizing. TF: `tf.compat.v1.image.ResizeMethod`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


FUNCTIONS["image.ResizeMethod"] = ResizeMethod


def dimension_value(dimension):
    """A size as an int; None for an unknown one. TF: `tf.compat.v1.dimension_value`."""
    return getattr(dimension, "value", dimension)


FUNCTIONS["dimension_value"] = dimension_value
FUNCTIONS["test.mock"] = unittest.mock


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None,
                            max_norm=None, allow_fast_lookup=False):  # fmt: skip
    """`tf.nn.embedding_lookup_sparse`. TF: `tf.compat.v1.nn.embedding_lookup_sparse`."""
    return tf.nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner or "mean", max_norm)


FUNCTIONS["nn.embedding_lookup_sparse"] = embedding_lookup_sparse


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):  # fmt: skip
    """Losses of connectionist temporal classification; the last class is the blank.

    Args:
      labels: int32 SparseTensor of shape `[batch, labels]`.
      inputs, logits: two names of one argument, floats of shape `[time, batch, classes]`.
      sequence_length: int32 vector of shape `[batch]`.
      preprocess_collapse_repeated: whether labels that repeat count once.
      ctc_merge_repeated: only the default is available.
      ignore_longer_outputs_than_inputs: whether the loss of labels that do not fit is zero, else it is an error.
      time_major: False for logits of shape `[batch, time, classes]`.

    Raises:
      TypeError: the labels are no SparseTensor.

    TF: `tf.compat.v1.nn.ctc_loss`.
    """
    if not isinstance(labels, tf.SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    if not ctc_merge_repeated:
        raise UnimplementedError(None, None, "tf.compat.v1.nn.ctc_loss: ctc_merge_repeated=False is not available")
    logits = tf.convert_to_tensor(inputs if logits is None else logits)
    if not time_major:
        logits = tf.transpose(logits, [1, 0, 2])
    return loss_of_sparse(
        logits, labels.indices, labels.values, sequence_length, preprocess_collapse_repeated,
        ignore_longer_outputs_than_inputs, logits.shape[-1] - 1,
    )  # fmt: skip


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """As `tf.nn.ctc_beam_search_decoder`; labels that repeat are given once, unless `merge_repeated` is False.

    TF: `tf.compat.v1.nn.ctc_beam_search_decoder`.
    """
    decode = beams_without_repetition if merge_repeated else tf.nn.ctc_beam_search_decoder
    return decode(inputs, sequence_length, beam_width, top_paths)


for _function in (ctc_loss, ctc_beam_search_decoder):
    FUNCTIONS[f"nn.{_function.__name__}"] = _function


@_named("io.tf_record_iterator", "python_io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """Yields the records of a file as bytes.

    Args:
      path: path of the file.
      options: TFRecordOptions, of which the compression counts; None for none.

    Raises:
      tf.errors.DataLossError: the file is damaged; after the records before the damage.

    TF: `tf.compat.v1.io.tf_record_iterator`; no known difference.
    """
    for some in records(path, "" if options is None else options.compression_type):
        yield from some
