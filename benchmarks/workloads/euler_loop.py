"""A pendulum in explicit Euler steps, a long Python loop under one tape, then the gradient by its frequency.

Nothing in the loop looks at a value, opens a tape or assigns: one gradient has 50,000 operations before it.
"""

SMALL = {"steps": 20}
COMPARED_STEPS = 2
MOST_ROUNDS = 3
READ_EVERY_STEP = True
DURATION = 10.0
_ONCE = "a Python loop: one function of it would be a graph of a hundred thousand operations"
NOT_ON = {"tfcompat-function": _ONCE, "tf-function": _ONCE, "tf-xla": _ONCE}


def make(tf, steps=10_000):
    frequency = tf.Variable(2.0)
    size = DURATION / steps

    def step(angle, speed):
        with tf.GradientTape() as tape:
            pull = size * frequency
            for _ in range(steps):
                angle, speed = angle + size * speed, speed - pull * tf.sin(angle)
            loss = tf.reduce_sum(tf.square(angle))
        return tape.gradient(loss, frequency)

    return step, (tf.constant([0.5, 1.0]), tf.constant([0.0, 0.2]))


def make_jax(steps=10_000):
    import jax
    import jax.numpy as jnp

    size = DURATION / steps

    def loss_of(frequency, angle, speed):
        pull = size * frequency

        def one(state, _):
            angle, speed = state
            return (angle + size * speed, speed - pull * jnp.sin(angle)), None

        (angle, _), _ = jax.lax.scan(one, (angle, speed), length=steps)
        return jnp.sum(jnp.square(angle))

    gradient = jax.jit(jax.grad(loss_of))
    frequency = jnp.array(2.0)
    return lambda angle, speed: gradient(frequency, angle, speed), (
        jnp.array([0.5, 1.0]), jnp.array([0.0, 0.2]),
    )  # fmt: skip


def make_torch(steps=10_000):
    import torch

    frequency = torch.tensor(2.0, requires_grad=True)
    size = DURATION / steps

    def step(angle, speed):
        pull = size * frequency
        for _ in range(steps):
            angle, speed = angle + size * speed, speed - pull * torch.sin(angle)
        return torch.autograd.grad(torch.sum(torch.square(angle)), frequency)[0]

    return step, (torch.tensor([0.5, 1.0]), torch.tensor([0.0, 0.2]))
