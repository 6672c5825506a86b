"""`tf.compat.v1.layers`: functions of layers whose variables are those of `tf.compat.v1.get_variable`."""

import contextlib

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat._package.thread_state import ThreadState
from tfcompat.compat._initializers import Ones as _ones
from tfcompat.compat._initializers import Zeros as _zeros
from tfcompat.compat._scopes import get_variable, variable_scope
from tfcompat.errors import UnimplementedError


class _Holder(ThreadState):
    made = None  # dict by name of the variables of the layer that is called, in whose scope this is; or None


_holder = _Holder()


@contextlib.contextmanager
def variables_of(made):
    """A block in which the variables are those in a dict, to which new ones are added; its scope is entered already."""
    outer, _holder.made = _holder.made, made
    try:
        yield
    finally:
        _holder.made = outer


def _scope(name, default, reuse):
    """The scope of a layer's variables. Eagerly a name in use gets a number, unless `reuse`."""
    if _holder.made is not None:
        return contextlib.nullcontext()
    if graphs.current() is None:
        base = name or default
        return variable_scope(base) if reuse else variable_scope(None, default_name=base)
    return variable_scope(name or (default if reuse else None), default_name=default, reuse=reuse)


def _weight(name, shape, dtype, initializer, regularizer, constraint, trainable):
    if _holder.made is not None and name in _holder.made:
        return _holder.made[name]
    # Eagerly the losses of regularizers are those of a layer that nobody keeps.
    if isinstance(initializer, str):
        initializer = tf.keras.initializers.get(initializer)
    regularizer = None if graphs.current() is None else regularizer
    variable = get_variable(name, shape, dtype, initializer, regularizer, trainable, constraint=constraint)
    if _holder.made is not None:
        _holder.made[name] = variable
    return variable


def _activated(outputs, activation, activity_regularizer=None):
    outputs = outputs if activation is None else activation(outputs)
    if activity_regularizer is not None and graphs.current() is not None:
        graphs.current().add_to_collection("regularization_losses", activity_regularizer(outputs))
    return outputs


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """`activation(inputs @ kernel + bias)`.

    Args:
      inputs: tensor of floats, whose dtype is that of the variables.
      units: size of the last axis of the result.
      activation: function of a tensor, or None.
      use_bias, kernel_constraint, bias_constraint, trainable: as in `tf.keras.layers.Dense`.
      kernel_initializer: by default that of the scope, Glorot's uniform.
      bias_initializer: by default zeros.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of a tensor; their values are in the
        collection "regularization_losses" of the graph. Of no effect eagerly, as in TF.
      name: of the scope; by default "dense", with a number if it is in use.
      reuse: whether the variables are there.

    Raises:
      ValueError: in a graph, the variables are there, and `reuse` does not say so.

    TF: `tf.compat.v1.layers.dense`; no warning that it is deprecated.
    """
    inputs = tf.convert_to_tensor(inputs)
    with _scope(name, "dense", reuse):
        shape, size = [inputs.shape.as_list()[-1], int(units)], [int(units)]
        kernel = _weight("kernel", shape, inputs.dtype, kernel_initializer, kernel_regularizer, kernel_constraint,
                         trainable)  # fmt: skip
        outputs = tf.matmul(inputs, kernel) if inputs.shape.rank == 2 else tf.tensordot(inputs, kernel, 1)
        if use_bias:
            bias = _weight("bias", size, inputs.dtype, bias_initializer or _zeros,
                           bias_regularizer, bias_constraint, trainable)  # fmt: skip
            outputs = tf.nn.bias_add(outputs, bias, name="BiasAdd")
        return _activated(outputs, activation, activity_regularizer)


def _numbers(value, rank, name):
    numbers = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(numbers) != rank:
        raise ValueError(f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}")
    return list(numbers)


def _of_format(data_format, rank):
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". Received: ' + data_format
        )
    last = data_format == "channels_last"
    spatial = "DHW"[-rank:] if rank > 1 else "W"
    return last, f"N{spatial}C" if last else f"NC{spatial}"


def _convolution(rank):
    def conv(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
             activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
             bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
             trainable=True, name=None, reuse=None):  # fmt: skip
        inputs = tf.convert_to_tensor(inputs)
        last, layout = _of_format(data_format, rank)
        channels = inputs.shape.as_list()[-1 if last else 1]
        with _scope(name, f"conv{rank}d", reuse):
            shape = [*_numbers(kernel_size, rank, "kernel_size"), channels, int(filters)]
            kernel = _weight("kernel", shape, inputs.dtype, kernel_initializer, kernel_regularizer, kernel_constraint,
                             trainable)  # fmt: skip
            outputs = tf.nn.convolution(
                inputs, kernel, _numbers(strides, rank, "strides"), padding.upper(), layout,
                _numbers(dilation_rate, rank, "dilation_rate"),
            )  # fmt: skip
            if use_bias:
                bias = _weight("bias", [int(filters)], inputs.dtype, bias_initializer or _zeros, bias_regularizer,
                               bias_constraint, trainable)  # fmt: skip
                outputs = tf.nn.bias_add(outputs, bias, "NHWC" if last else "NCHW", name="BiasAdd")
            return _activated(outputs, activation, activity_regularizer)

    conv.__name__ = conv.__qualname__ = f"conv{rank}d"
    conv.__doc__ = (
        f"A convolution over {rank} axes; for the other arguments see `dense`. TF: `tf.compat.v1.layers.conv{rank}d`."
    )
    return conv


conv1d, conv2d, conv3d = map(_convolution, (1, 2, 3))


def _transposed(rank):
    def conv(inputs, filters, kernel_size, strides=(1,) * rank, padding="valid", data_format="channels_last",
             activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
             bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
             trainable=True, name=None, reuse=None):  # fmt: skip
        if data_format != "channels_last":
            raise UnimplementedError(None, None, f"tf.compat.v1.layers.conv{rank}d_transpose: use channels_last")
        inputs = tf.convert_to_tensor(inputs)
        sizes, steps = _numbers(kernel_size, rank, "kernel_size"), _numbers(strides, rank, "strides")
        with _scope(name, f"conv{rank}d_transpose", reuse):
            shape = [*sizes, int(filters), inputs.shape.as_list()[-1]]
            kernel = _weight("kernel", shape, inputs.dtype, kernel_initializer, kernel_regularizer, kernel_constraint,
                             trainable)  # fmt: skip
            there, batch = inputs.shape.as_list()[1:-1], tf.shape(inputs)[0]
            longer = [max(size - step, 0) if padding == "valid" else 0 for size, step in zip(sizes, steps, strict=True)]
            here = [n * step + more for n, step, more in zip(there, steps, longer, strict=True)]
            transpose = getattr(tf.nn, f"conv{rank}d_transpose")
            outputs = transpose(inputs, kernel, [batch, *here, int(filters)], steps, padding.upper())
            return _with_bias(outputs, filters, use_bias, bias_initializer, bias_regularizer, bias_constraint,
                              trainable, activation, activity_regularizer)  # fmt: skip

    conv.__name__ = conv.__qualname__ = f"conv{rank}d_transpose"
    conv.__doc__ = (
        f'The transpose of `conv{rank}d`. TF: `tf.compat.v1.layers.conv{rank}d_transpose`; "channels_last" only.'
    )
    return conv


conv2d_transpose, conv3d_transpose = map(_transposed, (2, 3))


def _separable(rank):
    def conv(inputs, filters, kernel_size, strides=(1,) * rank if rank > 1 else 1, padding="valid",
             data_format="channels_last", dilation_rate=(1,) * rank if rank > 1 else 1, depth_multiplier=1,
             activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
             bias_initializer=None, depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
             activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
             trainable=True, name=None, reuse=None):  # fmt: skip
        if data_format != "channels_last":
            raise UnimplementedError(None, None, f"tf.compat.v1.layers.separable_conv{rank}d: use channels_last")
        inputs = tf.convert_to_tensor(inputs)
        channels, sizes = inputs.shape.as_list()[-1], _numbers(kernel_size, rank, "kernel_size")
        steps, rates = _numbers(strides, rank, "strides"), _numbers(dilation_rate, rank, "dilation_rate")
        with _scope(name, f"separable_conv{rank}d", reuse):
            shapes = [*sizes, channels, depth_multiplier], [*[1] * rank, channels * depth_multiplier, int(filters)]
            depthwise = _weight("depthwise_kernel", shapes[0], inputs.dtype, depthwise_initializer,
                                depthwise_regularizer, depthwise_constraint, trainable)  # fmt: skip
            pointwise = _weight("pointwise_kernel", shapes[1], inputs.dtype, pointwise_initializer,
                                pointwise_regularizer, pointwise_constraint, trainable)  # fmt: skip
            if rank == 1:  # as pictures of one row
                inputs, depthwise, pointwise = (
                    tf.expand_dims(x, axis) for x, axis in ((inputs, 1), (depthwise, 0), (pointwise, 0))
                )
                steps, rates = steps * 2, [1, *rates]
            outputs = tf.nn.separable_conv2d(
                inputs, depthwise, pointwise, [1, *steps, 1], padding.upper(), dilations=rates
            )
            outputs = tf.squeeze(outputs, [1]) if rank == 1 else outputs
            return _with_bias(outputs, filters, use_bias, bias_initializer, bias_regularizer, bias_constraint,
                              trainable, activation, activity_regularizer)  # fmt: skip

    conv.__name__ = conv.__qualname__ = f"separable_conv{rank}d"
    conv.__doc__ = (
        "A convolution of each channel, then one of the channels of each place; for the other arguments see `dense`. "
        f'TF: `tf.compat.v1.layers.separable_conv{rank}d`; "channels_last" only.'
    )
    return conv


separable_conv1d, separable_conv2d = map(_separable, (1, 2))


def _with_bias(outputs, filters, use_bias, initializer, regularizer, constraint, trainable, activation,
               activity_regularizer):  # fmt: skip
    """What a convolution with channels last gives."""
    if use_bias:
        bias = _weight("bias", [int(filters)], outputs.dtype, initializer or _zeros, regularizer, constraint, trainable)
        outputs = tf.nn.bias_add(outputs, bias, name="BiasAdd")
    return _activated(outputs, activation, activity_regularizer)


def _pooling(rank, kind):
    word = {"MAX": "max", "AVG": "average"}[kind]

    def pooling(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        _, layout = _of_format(data_format, rank)
        return tf.nn.pool(
            tf.convert_to_tensor(inputs), _numbers(pool_size, rank, "pool_size"), kind,
            _numbers(strides, rank, "strides"), padding.upper(), layout, name=name,
        )  # fmt: skip

    pooling.__name__ = pooling.__qualname__ = f"{word}_pooling{rank}d"
    pooling.__doc__ = f"The {word} of each window. TF: `tf.compat.v1.layers.{pooling.__name__}`."
    return pooling


max_pooling1d, max_pooling2d, max_pooling3d = (_pooling(rank, "MAX") for rank in (1, 2, 3))
average_pooling1d, average_pooling2d, average_pooling3d = (_pooling(rank, "AVG") for rank in (1, 2, 3))


def _either(training, yes, no):
    """`yes()` or `no()`, by a bool or a tensor."""
    if isinstance(training, bool | int):
        return yes() if training else no()
    return tf.cond(tf.cast(training, tf.bool), yes, no)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """`tf.nn.dropout` where `training`, a bool or a tensor, says so. TF: `tf.compat.v1.layers.dropout`."""
    inputs = tf.convert_to_tensor(inputs)
    return _either(training, lambda: tf.nn.dropout(inputs, rate, noise_shape, seed), lambda: tf.identity(inputs))


def flatten(inputs, name=None, data_format="channels_last"):
    """All axes but the first as one. TF: `tf.compat.v1.layers.flatten`; no warning that it is deprecated."""
    inputs = tf.convert_to_tensor(inputs)
    if data_format == "channels_first" and inputs.shape.rank and inputs.shape.rank > 2:
        inputs = tf.transpose(inputs, [0, *range(2, inputs.shape.rank), 1])
    if inputs.shape.rank == 1:
        return tf.expand_dims(inputs, 1)
    sizes = inputs.shape.as_list()[1:]
    if None in sizes:
        return tf.reshape(inputs, [tf.shape(inputs)[0], -1])
    return tf.reshape(inputs, [-1, tf.TensorShape(sizes).num_elements()])


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None,
                        gamma_initializer=None, moving_mean_initializer=None, moving_variance_initializer=None,
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                        training=False, trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None,
                        renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):  # fmt: skip
    """Numbers of mean 0 and variance 1 in each channel, times `gamma`, plus `beta`.

    Args:
      axis: of the channels.
      momentum: how much the moving averages keep of their former values.
      epsilon: what is added to the variance.
      center, scale: whether there are `beta` and `gamma`.
      training: whether means and variances are those of the batch, a bool or a tensor. Then operations that move the
        averages are in the collection "update_ops" of the graph, for the program to run; eagerly they are moved.
      fused: of no effect.
      renorm, renorm_clipping, renorm_momentum, virtual_batch_size, adjustment: only the defaults are available.

    For the other arguments see `dense`.
    TF: `tf.compat.v1.layers.batch_normalization`.
    """
    if renorm or virtual_batch_size is not None or adjustment is not None:
        raise UnimplementedError(
            None, None,
            "tf.compat.v1.layers.batch_normalization: renorm, virtual_batch_size and adjustment are not available in "
            "tfcompat",
        )  # fmt: skip
    inputs = tf.convert_to_tensor(inputs)
    axis = axis[0] if isinstance(axis, list | tuple) else axis
    rank = inputs.shape.rank
    axis = axis % rank
    size = [inputs.shape.as_list()[axis]]
    axes = [i for i in range(rank) if i != axis]
    shape = [size[0] if i == axis else 1 for i in range(rank)]
    with _scope(name, "batch_normalization", reuse):
        gamma = beta = None
        if scale:
            gamma = _weight("gamma", size, tf.float32, gamma_initializer or _ones, gamma_regularizer, gamma_constraint,
                            trainable)  # fmt: skip
        if center:
            beta = _weight("beta", size, tf.float32, beta_initializer or _zeros, beta_regularizer, beta_constraint,
                           trainable)  # fmt: skip
        mean = _weight("moving_mean", size, tf.float32, moving_mean_initializer or _zeros, None, None, False)
        variance = _weight("moving_variance", size, tf.float32, moving_variance_initializer or _ones, None, None, False)

        def of_batch():
            batch_mean, batch_variance = tf.nn.moments(inputs, axes)
            count = tf.cast(tf.size(inputs) // size[0], tf.float32)
            # The kernel for pictures moves the average by the variance without bias.
            unbiased = batch_variance * (count / tf.maximum(count - 1.0, 1.0)) if rank == 4 else batch_variance
            return batch_mean, batch_variance, batch_mean, unbiased

        def of_averages():
            present = tf.identity(mean), tf.identity(variance)
            return (*present, *present)

        used_mean, used_variance, new_mean, new_variance = _either(training, of_batch, of_averages)
        parts = [
            None if part is None else tf.reshape(part, shape) for part in (used_mean, used_variance, beta, gamma)
        ]
        outputs = tf.nn.batch_normalization(inputs, *parts, epsilon)
        outputs.set_shape(inputs.shape)
        if training is not False:
            for average, new in ((mean, new_mean), (variance, new_variance)):
                moved = average.assign_sub((average - new) * (1.0 - momentum), name="AssignMovingAvg")
                if graphs.current() is not None:
                    graphs.current().add_to_collection("update_ops", moved.op)
        return outputs
