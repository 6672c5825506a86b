"""The ops of `tf.keras.backend`, by the ops of `tf`: Keras 2's of these names."""

from typing import Any

import numpy as np

from tfcompat import _control, array, dtypes, errors, linalg, math, nest, nn, random, sparse, tape
from tfcompat._core import name_scope as scopes
from tfcompat._core.convert import constant as constant_of
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.keras import losses
from tfcompat.keras._models.model import Model
from tfcompat.keras.backend._rnn import rnn as rnn
from tfcompat.layers import activations
from tfcompat.layers._input import Input
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._reshaping import UpSampling2D
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.math._clip import clip_by_value
from tfcompat.sparse._tensor import SparseTensorSpec
from tfcompat.strings import _print

_PADDING = {"same": "SAME", "valid": "VALID", "causal": "CAUSAL"}


def _tensor(x):
    return x if isinstance(x, KerasTensor) else convert_to_tensor(x)


def _axis(axis):
    return list(axis) if isinstance(axis, tuple) else axis


def backend():
    """ "tensorflow", whose API this is."""
    return "tensorflow"


# --- making tensors and variables -----------------------------------------------------------------------------------


def variable(value, dtype=None, name=None, constraint=None):
    """A variable, float32 by default."""
    return Variable(value, dtype=dtype or _settings.floatx(), name=name, constraint=constraint)


def constant(value, dtype=None, shape=None, name=None):
    """A constant, float32 by default."""
    return constant_of(value, dtype or _settings.floatx(), shape, name or "Const")


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
    """A KerasTensor of a shape that includes the batch axis.

    Raises:
      ValueError: both `sparse` and `ragged`.
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True when creating a placeholder.")
    shape = (None,) * ndim if shape is None and ndim else shape
    return Input(batch_shape=shape, dtype=dtype, name=name, sparse=sparse, ragged=ragged)


def is_sparse(tensor):
    """Whether a tensor, or what a KerasTensor stands for, is a SparseTensor."""
    spec = getattr(tensor, "type_spec", None)
    return isinstance(tensor, sparse.SparseTensor) or isinstance(spec, SparseTensorSpec)


def to_dense(tensor):
    """A SparseTensor as a tensor; others as they are."""
    return sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def shape(x):
    """The shape as a tensor."""
    return array.shape(x)


def eval(x):
    """The value as a NumPy array."""
    return convert_to_tensor(to_dense(x)).numpy()


def _filled(make, shape, dtype, name):
    value = make(shape, dtype or _settings.floatx())
    return Variable(value, name=name) if value.shape.is_fully_defined() else value


def zeros(shape, dtype=None, name=None):
    """A variable of zeros."""
    return _filled(array.zeros, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    """A variable of ones."""
    return _filled(array.ones, shape, dtype, name)


def eye(size, dtype=None, name=None):
    """A variable that is an identity matrix."""
    return variable(array.eye(size, dtype=dtype or _settings.floatx()), dtype, name)


def zeros_like(x, dtype=None, name=None):
    """Zeros of the shape of `x`."""
    return array.zeros_like(x, dtype=dtype)


def ones_like(x, dtype=None, name=None):
    """Ones of the shape of `x`."""
    return array.ones_like(x, dtype=dtype)


def arange(start, stop=None, step=1, dtype="int32"):
    """Numbers from `start` to `stop`; from 0 to `start` without it."""
    start, stop = (0, start) if stop is None else (start, stop)
    if isinstance(stop, int) and isinstance(start, int) and stop < start and step > 0:
        start, stop = 0, 0
    numbers = array.range(start, limit=stop, delta=step)
    return numbers if dtype == "int32" else array.cast(numbers, dtype)  # floats stay floats by default, as in Keras


def _seed(seed):
    return np.random.randint(10_000_000) if seed is None else seed


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal random numbers."""
    return random.normal(shape, mean, stddev, dtype or _settings.floatx(), _seed(seed))


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Uniform random numbers."""
    return random.uniform(shape, minval, maxval, dtype or _settings.floatx(), _seed(seed))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal random numbers, at most two deviations from their mean."""
    return random.truncated_normal(shape, mean, stddev, dtype or _settings.floatx(), _seed(seed))


def random_bernoulli(shape, p=0.0, dtype=None, seed=None):
    """Ones with probability `p`, else zeros."""
    dtype = dtype or _settings.floatx()
    uniform = random.uniform(shape, dtype=dtype, seed=_seed(seed))
    return array.where(uniform <= p, array.ones(shape, dtype), array.zeros(shape, dtype))


random_binomial = random_bernoulli


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    """A variable of normal random numbers."""
    return variable(random_normal(shape, mean, scale, dtype, seed), dtype, name)


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    """A variable of uniform random numbers."""
    return variable(random_uniform(shape, low, high, dtype, seed), dtype, name)


def update(x, new_x):
    """Assigns to a variable."""
    return x.assign(new_x)


def update_add(x, increment):
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x, decrement):
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


def moving_average_update(x, value, momentum):
    """Moves a variable towards a value by the share `1 - momentum`."""
    return x.assign(x * momentum + value * (1.0 - momentum))


# --- elementwise ----------------------------------------------------------------------------------------------------


def cast(x, dtype):
    """`x` in another dtype."""
    return array.cast(x, dtype)


def abs(x):
    """Absolute values."""
    return math.abs(x)


def square(x):
    """Squares."""
    return math.square(x)


def sqrt(x):
    """Square roots; of negative numbers 0."""
    x = _tensor(x)
    return math.sqrt(math.maximum(x, array.zeros((), x.dtype)))


def exp(x):
    """Exponentials."""
    return math.exp(x)


def log(x):
    """Natural logarithms."""
    return math.log(x)


def round(x):
    """The nearest integers, halves to even."""
    return math.round(x)


def sign(x):
    """Signs."""
    return math.sign(x)


def pow(x, a):
    """`x` to the power `a`."""
    return math.pow(x, a)


def sin(x):
    """Sines."""
    return math.sin(x)


def cos(x):
    """Cosines."""
    return math.cos(x)


def clip(x, min_value, max_value):
    """`x` limited to a range."""
    if isinstance(min_value, int | float) and isinstance(max_value, int | float) and max_value < min_value:
        max_value = min_value
    low = -np.inf if min_value is None else min_value
    high = np.inf if max_value is None else max_value
    return clip_by_value(x, low, high)


def maximum(x, y):
    """The larger of two, element by element."""
    return math.maximum(x, y)


def minimum(x, y):
    """The smaller of two, element by element."""
    return math.minimum(x, y)


def equal(x, y):
    """x == y."""
    return math.equal(x, y)


def not_equal(x, y):
    """x != y."""
    return math.not_equal(x, y)


def greater(x, y):
    """x > y."""
    return math.greater(x, y)


def greater_equal(x, y):
    """x >= y."""
    return math.greater_equal(x, y)


def less(x, y):
    """x < y."""
    return math.less(x, y)


def less_equal(x, y):
    """x <= y."""
    return math.less_equal(x, y)


# --- along axes -----------------------------------------------------------------------------------------------------


def _floating(x):
    x = _tensor(x)
    return array.cast(x, _settings.floatx()) if x.dtype.is_bool or x.dtype.is_integer else x


def max(x, axis=None, keepdims=False):
    """Largest elements."""
    return math.reduce_max(x, _axis(axis), keepdims)


def min(x, axis=None, keepdims=False):
    """Smallest elements."""
    return math.reduce_min(x, _axis(axis), keepdims)


def sum(x, axis=None, keepdims=False):
    """Sums."""
    return math.reduce_sum(x, _axis(axis), keepdims)


def prod(x, axis=None, keepdims=False):
    """Products."""
    return math.reduce_prod(x, _axis(axis), keepdims)


def mean(x, axis=None, keepdims=False):
    """Means; of bools as floats."""
    x = _tensor(x)
    return math.reduce_mean(array.cast(x, _settings.floatx()) if x.dtype.is_bool else x, _axis(axis), keepdims)


def var(x, axis=None, keepdims=False):
    """Variances."""
    x = _tensor(x)
    return math.reduce_variance(array.cast(x, _settings.floatx()) if x.dtype.is_bool else x, _axis(axis), keepdims)


def std(x, axis=None, keepdims=False):
    """Standard deviations."""
    x = _tensor(x)
    return math.reduce_std(array.cast(x, _settings.floatx()) if x.dtype.is_bool else x, _axis(axis), keepdims)


def any(x, axis=None, keepdims=False):
    """Whether any element is true."""
    return math.reduce_any(array.cast(x, dtypes.bool), _axis(axis), keepdims)


def all(x, axis=None, keepdims=False):
    """Whether all elements are true."""
    return math.reduce_all(array.cast(x, dtypes.bool), _axis(axis), keepdims)


def cumsum(x, axis=0):
    """Sums so far."""
    return math.cumsum(x, axis=axis)


def cumprod(x, axis=0):
    """Products so far."""
    return math.cumprod(x, axis=axis)


def argmax(x, axis=-1):
    """Where the largest elements are."""
    return math.argmax(x, axis)


def argmin(x, axis=-1):
    """Where the smallest elements are."""
    return math.argmin(x, axis)


# --- shapes ---------------------------------------------------------------------------------------------------------


def reshape(x, shape):
    """`x` of another shape."""
    return array.reshape(x, shape)


def transpose(x):
    """`x` with its axes in reverse order."""
    return array.transpose(x)


def permute_dimensions(x, pattern):
    """`x` with its axes in another order."""
    return array.transpose(x, perm=pattern)


def expand_dims(x, axis=-1):
    """`x` with an axis of size 1 more."""
    return array.expand_dims(x, axis)


def squeeze(x, axis):
    """`x` without an axis of size 1."""
    return array.squeeze(x, [axis])


def flatten(x):
    """`x` as a vector."""
    return array.reshape(x, [-1])


def batch_flatten(x):
    """`x` as a matrix of a row for each example."""
    return array.reshape(x, array.stack([-1, math.reduce_prod(array.shape(x)[1:])]))


def concatenate(tensors, axis=-1):
    """Tensors one after another along an axis."""
    tensors = [_tensor(tensor) for tensor in tensors]
    return array.concat(tensors, axis % len(tensors[0].shape) if axis < 0 and len(tensors[0].shape) else axis)


def stack(x, axis=0):
    """Tensors along a new axis."""
    return array.stack(x, axis=axis)


def tile(x, n):
    """`x` repeated; `n` is a number or one for each axis."""
    return array.tile(x, [n] if isinstance(n, int) else n)


def repeat(x, n):
    """A matrix repeated along a new axis 1."""
    return array.tile(array.expand_dims(x, 1), array.stack([1, n, 1]))


def repeat_elements(x, rep, axis):
    """Each element of an axis `rep` times."""
    return array.repeat(x, rep, axis=axis)


def reverse(x, axes):
    """`x` with axes backwards."""
    return array.reverse(x, [axes] if isinstance(axes, int) else axes)


def gather(reference, indices):
    """Rows."""
    return array.gather(reference, indices)


def one_hot(indices, num_classes):
    """One-hot rows."""
    return array.one_hot(indices, depth=num_classes, axis=-1)


def temporal_padding(x, padding=(1, 1)):
    """Zeros before and after axis 1."""
    return array.pad(x, [[0, 0], list(padding), [0, 0]])


def _padded(x, padding, data_format):
    padding = [list(pair) for pair in padding]
    channels_first = (data_format or _settings.image_data_format()) == "channels_first"
    return array.pad(x, [[0, 0], [0, 0], *padding] if channels_first else [[0, 0], *padding, [0, 0]])


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Zeros around height and width."""
    return _padded(x, padding, data_format)


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    """Zeros around depth, height and width."""
    return _padded(x, padding, data_format)


def resize_images(x, height_factor, width_factor, data_format, interpolation="nearest"):
    """Images larger by whole factors."""
    layer: Any = UpSampling2D((height_factor, width_factor), data_format, interpolation)
    return layer(x)


# --- products -------------------------------------------------------------------------------------------------------


def dot(x, y):
    """The product of the last axis of `x` and the last but one of `y`; of matrices their product."""
    if is_sparse(x):
        return sparse.sparse_dense_matmul(x, y)
    x, y = _tensor(x), _tensor(y)
    if len(x.shape) <= 2 and len(y.shape) <= 2:
        return linalg.matmul(x, y)
    return linalg.tensordot(x, y, [[len(x.shape) - 1], [len(y.shape) - (2 if len(y.shape) > 1 else 1)]])


def batch_dot(x, y, axes: Any = None):
    """Products of each example of `x` with that of `y` along axes.

    Args:
      x, y: tensors of rank 2 or more.
      axes: int, or pair of ints; by default the last axis of `x`, and of `y` the last but one.
    """
    x, y = _tensor(x), _tensor(y)
    rank_x, rank_y = len(x.shape), len(y.shape)
    if axes is None:
        axes = [rank_x - 1, rank_y - 1 if rank_y == 2 else rank_y - 2]
    a, b = (axes, axes) if isinstance(axes, int) else axes
    a, b = a % rank_x, b % rank_y
    if 0 in (a, b):
        raise ValueError("Cannot perform batch_dot over axis 0.")
    letters = "bcdefghijklmnopqrstuvwxy"
    left = ["a", *letters[: rank_x - 1]]
    right = ["a", *letters[rank_x - 1 : rank_x + rank_y - 2]]
    left[a] = right[b] = "z"
    result = [*(c for c in left if c != "z"), *(c for c in right[1:] if c != "z")]
    product = linalg.einsum(f"{''.join(left)},{''.join(right)}->{''.join(result)}", x, y)
    return array.expand_dims(product, 1) if len(result) == 1 else product


def bias_add(x, bias, data_format=None):
    """`x` plus a bias along the channels, or of the shape of an example."""
    bias = _tensor(bias)
    if len(bias.shape) == 1:
        channels_first = (data_format or _settings.image_data_format()) == "channels_first"
        return nn.bias_add(x, bias, "NCHW" if channels_first else None)
    return x + array.expand_dims(bias, 0)


def l2_normalize(x, axis=None):
    """`x` divided by its norms."""
    return nn.l2_normalize(x, axis=axis)


# --- networks -------------------------------------------------------------------------------------------------------


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """`x` where it is above the threshold, else `alpha * (x - threshold)`; limited to `max_value`."""
    return activations.relu(x, alpha, max_value, threshold)


def elu(x, alpha=1.0):
    """`x` where positive, else `alpha * (exp(x) - 1)`."""
    return activations.elu(x, alpha)


def softmax(x, axis=-1):
    """Softmax."""
    return nn.softmax(x, axis=axis)


def softplus(x):
    """log(1 + exp(x))."""
    return math.softplus(x)


def softsign(x):
    """x / (1 + |x|)."""
    return nn.softsign(x)


def sigmoid(x):
    """Sigmoid."""
    return math.sigmoid(x)


def hard_sigmoid(x):
    """`0.2 * x + 0.5`, limited to 0 to 1."""
    return activations.hard_sigmoid(x)


def tanh(x):
    """Hyperbolic tangents."""
    return math.tanh(x)


def dropout(x, level, noise_shape=None, seed=None):
    """`x` with a share `level` of its elements zero, the others scaled."""
    return nn.dropout(x, rate=level, noise_shape=noise_shape, seed=_seed(seed))


def in_top_k(predictions, targets, k):
    """Whether each target is among the k largest predictions."""
    return math.in_top_k(targets, predictions, k)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Cross-entropy of distributions."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1, ignore_class=None):
    """Cross-entropy of classes."""
    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis, ignore_class)


def binary_crossentropy(target, output, from_logits=False):
    """Cross-entropy of each element."""
    target, output = _tensor(target), _tensor(output)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    epsilon = constant_of(_settings.epsilon(), output.dtype)
    output = clip_by_value(output, epsilon, 1.0 - epsilon)
    return -(target * math.log(output + epsilon) + (1 - target) * math.log(1 - output + epsilon))


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """`x` normalized by given moments."""
    return nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def _layout(data_format, letters):
    channels_first = (data_format or _settings.image_data_format()) == "channels_first"
    return f"NC{letters}" if channels_first else f"N{letters}C"


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution of sequences; padding may be "causal"."""
    if padding == "causal":
        x, padding = temporal_padding(x, (dilation_rate * (kernel.shape[0] - 1), 0)), "valid"
    return nn.convolution(x, kernel, strides, _PADDING[padding], _layout(data_format, "W"), dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """Convolution of images."""
    return nn.convolution(x, kernel, strides, _PADDING[padding], _layout(data_format, "HW"), dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1)):
    """Convolution of volumes."""
    return nn.convolution(x, kernel, strides, _PADDING[padding], _layout(data_format, "DHW"), dilation_rate)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """Convolution of each channel of images."""
    layout = _layout(data_format, "HW")
    steps = [1, 1, *strides] if layout == "NCHW" else [1, *strides, 1]
    return nn.depthwise_conv2d(x, depthwise_kernel, steps, _PADDING[padding], layout, list(dilation_rate))


def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid", data_format=None,
                     dilation_rate=(1, 1)):  # fmt: skip
    """Convolution of each channel of images, then one that mixes the channels."""
    if len(strides) != 2:
        raise ValueError(f"`strides` must be a tuple of 2 integers. Received: {strides}")
    mixed = depthwise_conv2d(x, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv2d(mixed, pointwise_kernel, (1, 1), "valid", data_format)


def _pool(x, pool_size, strides, padding, data_format, pool_mode, letters):
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    pool = nn.max_pool if pool_mode == "max" else nn.avg_pool
    return pool(x, list(pool_size), list(strides), _PADDING[padding], _layout(data_format, letters))


def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    """Largest elements or means of windows of images."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode, "HW")


def pool3d(x, pool_size, strides=(1, 1, 1), padding="valid", data_format=None, pool_mode="max"):
    """Largest elements or means of windows of volumes."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode, "DHW")


def _local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format):
    data_format = data_format or _settings.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    inputs, kernel, rank = convert_to_tensor(inputs), convert_to_tensor(kernel), len(output_shape)
    sizes = inputs.shape.as_list()[1:]
    numbers = np.arange(np.prod(sizes)).reshape(sizes)
    last = data_format == "channels_last"
    windows = []
    for place in np.ndindex(*output_shape):
        window = [slice(p * s, p * s + k) for p, s, k in zip(place, strides, kernel_size, strict=True)]
        windows.append(numbers[tuple(window) if last else (slice(None), *window)].ravel())
    patches = array.gather(array.reshape(inputs, [-1, numbers.size]), np.array(windows), axis=1)
    products = linalg.einsum("npk,pkf->npf", patches, kernel)
    if last:
        return array.reshape(products, [-1, *output_shape, kernel.shape[-1]])
    return array.reshape(array.transpose(products, [0, 2, 1]), [-1, kernel.shape[-1], *output_shape[:rank]])


def local_conv1d(inputs, kernel, kernel_size, strides, data_format=None):
    """Convolution of sequences with a kernel [places, kernel_size * channels, filters] of its own for each place."""
    return _local_conv(inputs, kernel, kernel_size, strides, (kernel.shape[0],), data_format)


def local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None):
    """Convolution of images with a kernel of its own for each of the places, whose sizes are `output_shape`."""
    return _local_conv(inputs, kernel, kernel_size, strides, tuple(output_shape), data_format)


# --- control --------------------------------------------------------------------------------------------------------


def switch(condition, then_expression, else_expression):
    """One of two tensors, or of what two functions return; by element if the condition is no scalar."""
    condition = array.cast(condition, dtypes.bool)
    then = then_expression if callable(then_expression) else lambda: then_expression
    other = else_expression if callable(else_expression) else lambda: else_expression
    if len(condition.shape) == 0:
        return _control.cond(condition, then, other)
    chosen, rest = _tensor(then()), _tensor(other())
    while len(condition.shape) < len(chosen.shape):
        condition = array.expand_dims(condition, -1)
    return array.where(condition, chosen, rest)


def in_train_phase(x, alt, training=None):
    """`x` while training, else `alt`; either may be a function."""
    training = call_context.current[1] if training is None else training
    training = _settings.learning_phase() if training is None else training
    chosen = switch(training, x, alt) if isinstance(training, Tensor | Variable) else (x if training else alt)
    return chosen() if callable(chosen) else chosen


def in_test_phase(x, alt, training=None):
    """`alt` while training, else `x`."""
    return in_train_phase(alt, x, training)


def stop_gradient(variables):
    """The tensors, constant to derivatives."""
    if isinstance(variables, list | tuple):
        return [tape.stop_gradient(v) for v in variables]
    return tape.stop_gradient(variables)


def map_fn(fn, elems, name=None, dtype=None):
    """`fn` of each element."""
    return _control.map_fn(fn, elems, dtype=dtype)


def foldl(fn, elems, initializer=None, name=None):
    """`fn` of what is so far and each element in turn."""
    return _control.foldl(fn, elems, initializer=initializer)


def foldr(fn, elems, initializer=None, name=None):
    """`foldl` from the end."""
    return _control.foldr(fn, elems, initializer=initializer)


def manual_variable_initialization(value):
    """Does nothing: variables have their values when they are made, as in eager TensorFlow."""


def print_tensor(x, message="", summarize=3):
    """Prints a tensor; returns it."""
    _print.print(message, x, summarize=summarize)
    return x


def name_scope(name):
    """A name scope."""
    return scopes.name_scope(name)


def gradients(loss, variables):
    """Refused: there is no graph."""
    raise errors.UnimplementedError(
        None, None, "tf.keras.backend.gradients is not available in tfcompat: use tf.GradientTape"
    )


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """A function of arrays that computes outputs of a functional model from its inputs."""
    if updates or kwargs:
        raise errors.UnimplementedError(
            None, None, "tf.keras.backend.function: updates are not available in tfcompat: use tf.function"
        )
    model = Model(inputs, outputs)
    single = len(nest.flatten(inputs)) == 1

    def run(values):
        values = nest.flatten(values)
        results = model(convert_to_tensor(values[0]) if single else [convert_to_tensor(v) for v in values])
        arrays = nest.map_structure(lambda x: x.numpy(), results)
        return [arrays] if isinstance(outputs, list) and len(outputs) == 1 and not isinstance(arrays, list) else arrays

    return run
