"""DeepXDE: Burgers' equation from its residual, and a Poisson problem by L-BFGS: losses of 50 steps of Adam each."""

import os

os.environ["DDE_BACKEND"] = "tensorflow"
import deepxde as dde  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

dde.config.set_random_seed(11)


def burgers(x, u):
    du_x, du_t = dde.grad.jacobian(u, x, i=0, j=0), dde.grad.jacobian(u, x, i=0, j=1)
    return du_t + u * du_x - 0.01 / np.pi * dde.grad.hessian(u, x, i=0, j=0)


space, time = dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 0.99)
domain = dde.geometry.GeometryXTime(space, time)
edges = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
start = dde.icbc.IC(domain, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
data = dde.data.TimePDE(domain, burgers, [edges, start], num_domain=200, num_boundary=20, num_initial=20)
model = dde.Model(data, dde.nn.FNN([2, 16, 16, 1], "tanh", "Glorot normal"))
model.compile("adam", lr=1e-2, decay=("inverse time", 20, 0.5))
history, _ = model.train(iterations=50, display_every=1)
for step, losses in zip(history.steps, history.loss_train, strict=False):
    print(f"burgers {step}", *(f"{loss:.7f}" for loss in losses))


def poisson(x, u):
    return dde.grad.hessian(u, x) + np.pi**2 * tf.sin(np.pi * x)


ends = dde.icbc.DirichletBC(space, lambda x: 0, lambda _, on_boundary: on_boundary)
data = dde.data.PDE(space, poisson, ends, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20)
model = dde.Model(data, dde.nn.FNN([1, 12, 12, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-2, metrics=["l2 relative error"])
history, _ = model.train(iterations=50, display_every=1)
for step, losses, metrics in zip(history.steps, history.loss_train, history.metrics_test, strict=False):
    print(f"poisson {step}", *(f"{loss:.7f}" for loss in [*losses, *metrics]))
dde.optimizers.set_LBFGS_options(maxiter=10)
model.compile("L-BFGS")
history, _ = model.train(display_every=1)
print("poisson, L-BFGS", *(f"{loss:.5f}" for loss in history.loss_train[-1]))
