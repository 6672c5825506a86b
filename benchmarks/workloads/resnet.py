"""Training step of a small ResNet on 32x32 images: convolutions, batch normalization with moving averages, momentum.

Three stages of one residual block each; each stage has twice the channels and half the height and width of the last.
"""

import functools

import numpy as np

SMALL = {"batch": 2, "channels": 2, "stages": 2}
COMPARED_STEPS = 3
CLASSES = 10
RATE, MOMENTUM, DECAY, EPSILON = 0.01, 0.9, 0.99, 1e-3


def strides(stages):
    return [1] + [2] * (stages - 1)


def data(batch, channels, stages):
    """Images and labels, and the weights of each convolution and of the last layer, by name."""
    numbers = np.random.default_rng(0)

    def normal(*shape):
        return (numbers.normal(size=shape) * (2 / np.prod(shape[:-1])) ** 0.5).astype("float32")

    weights = {"first": normal(3, 3, 3, channels)}
    inputs = channels
    for stage, stride in enumerate(strides(stages)):
        outputs = channels * 2**stage
        weights[f"{stage}a"] = normal(3, 3, inputs, outputs)
        weights[f"{stage}b"] = normal(3, 3, outputs, outputs)
        if stride != 1:
            weights[f"{stage}short"] = normal(1, 1, inputs, outputs)
        inputs = outputs
    images = numbers.normal(size=(batch, 32, 32, 3)).astype("float32")
    labels = numbers.integers(CLASSES, size=batch).astype("int32")
    return images, labels, weights, normal(inputs, CLASSES)


def make(tf, batch=32, channels=16, stages=3):
    images, labels, weights, last = data(batch, channels, stages)
    kernels = {name: tf.Variable(value) for name, value in weights.items()}
    scales = {name: tf.Variable(tf.ones(value.shape[-1])) for name, value in weights.items()}
    offsets = {name: tf.Variable(tf.zeros(value.shape[-1])) for name, value in weights.items()}
    last, bias = tf.Variable(last), tf.Variable(tf.zeros(CLASSES))
    trained = [*kernels.values(), *scales.values(), *offsets.values(), last, bias]
    velocities = [tf.Variable(tf.zeros_like(v), trainable=False) for v in trained]
    means = {name: tf.Variable(tf.zeros_like(v), trainable=False) for name, v in offsets.items()}
    variances = {name: tf.Variable(tf.ones_like(v), trainable=False) for name, v in offsets.items()}

    def convolution(x, name, stride):
        x = tf.nn.conv2d(x, kernels[name], strides=stride, padding="SAME")
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        means[name].assign(DECAY * means[name] + (1 - DECAY) * mean)
        variances[name].assign(DECAY * variances[name] + (1 - DECAY) * variance)
        return tf.nn.batch_normalization(x, mean, variance, offsets[name], scales[name], EPSILON)

    def logits_of(x):
        x = tf.nn.relu(convolution(x, "first", 1))
        for stage, stride in enumerate(strides(stages)):
            h = tf.nn.relu(convolution(x, f"{stage}a", stride))
            h = convolution(h, f"{stage}b", 1)
            short = x if stride == 1 else convolution(x, f"{stage}short", stride)
            x = tf.nn.relu(h + short)
        return tf.reduce_mean(x, axis=[1, 2]) @ last + bias

    def step(images, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits_of(images))
            loss = tf.reduce_mean(losses)
        for v, g, velocity in zip(trained, tape.gradient(loss, trained), velocities, strict=True):
            velocity.assign(MOMENTUM * velocity + g)
            v.assign_sub(RATE * velocity)
        return loss

    return step, (tf.constant(images), tf.constant(labels))


def make_jax(batch=32, channels=16, stages=3):
    import jax
    import jax.numpy as jnp

    images, labels, weights, last = data(batch, channels, stages)
    trained = {
        "kernels": {name: jnp.array(value) for name, value in weights.items()},
        "scales": {name: jnp.ones(value.shape[-1]) for name, value in weights.items()},
        "offsets": {name: jnp.zeros(value.shape[-1]) for name, value in weights.items()},
        "last": jnp.array(last),
        "bias": jnp.zeros(CLASSES),
    }
    velocities = jax.tree.map(jnp.zeros_like, trained)
    moving = {name: (jnp.zeros(value.shape[-1]), jnp.ones(value.shape[-1])) for name, value in weights.items()}
    state = (trained, velocities, moving)

    def convolution(trained, moving, x, name, stride):
        x = jax.lax.conv_general_dilated(
            x, trained["kernels"][name], (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        mean, variance = jnp.mean(x, axis=(0, 1, 2)), jnp.var(x, axis=(0, 1, 2))
        moving[name] = tuple(
            DECAY * old + (1 - DECAY) * new for old, new in zip(moving[name], (mean, variance), strict=True)
        )
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * trained["scales"][name] + trained["offsets"][name]

    def loss_of(trained, moving, x, labels):
        moving = dict(moving)
        apply = functools.partial(convolution, trained, moving)
        x = jax.nn.relu(apply(x, "first", 1))
        for stage, stride in enumerate(strides(stages)):
            h = jax.nn.relu(apply(x, f"{stage}a", stride))
            h = apply(h, f"{stage}b", 1)
            short = x if stride == 1 else apply(x, f"{stage}short", stride)
            x = jax.nn.relu(h + short)
        logits = jnp.mean(x, axis=(1, 2)) @ trained["last"] + trained["bias"]
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(chosen), moving

    @functools.partial(jax.jit, donate_argnums=0)
    def update(state, images, labels):
        trained, velocities, moving = state
        (loss, moving), gradients = jax.value_and_grad(loss_of, has_aux=True)(trained, moving, images, labels)
        velocities = jax.tree.map(lambda velocity, g: MOMENTUM * velocity + g, velocities, gradients)
        trained = jax.tree.map(lambda v, velocity: v - RATE * velocity, trained, velocities)
        return (trained, velocities, moving), loss

    def step(images, labels):
        nonlocal state
        state, loss = update(state, images, labels)
        return loss

    return step, (jnp.array(images), jnp.array(labels))
