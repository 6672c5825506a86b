"""Raw ops with state, or whose arguments are handles: steps of optimizers, generators, stacks, sparse matrices."""

import inspect

from rows import raised, row, row_for

_STATES = {"var": 1.0, "accum": 0.5, "accum_update": 0.3, "linear": 0.2, "m": 0.1, "v": 0.4, "vhat": 0.45, "ms": 0.6,
           "mg": 0.1, "mom": 0.2, "gradient_accumulator": 0.1, "gradient_squared_accumulator": 0.3}  # fmt: skip
_NUMBERS = {"lr": 0.1, "alpha": 0.2, "l1": 0.05, "l2": 0.1, "l2_shrinkage": 0.1, "lr_power": -0.5, "rho": 0.9,
            "epsilon": 1e-3, "momentum": 0.8, "beta1_power": 0.9, "beta2_power": 0.99, "beta1": 0.9, "beta2": 0.99,
            "beta": 0.9, "logbase": 1.1, "sign_decay": 0.7}  # fmt: skip
_DENSE = "AdaMax Adadelta Adagrad AdagradDA AdagradV2 Adam AdamWithAmsgrad AddSign CenteredRMSProp Ftrl FtrlV2 " \
    "GradientDescent KerasMomentum Momentum PowerSign ProximalAdagrad ProximalGradientDescent RMSProp"  # fmt: skip
_SPARSE = "Adadelta Adagrad AdagradDA AdagradV2 CenteredRMSProp Ftrl FtrlV2 KerasMomentum Momentum ProximalAdagrad " \
    "ProximalGradientDescent RMSProp"  # fmt: skip


def _stepped(tf, np, op, indices=None, **flags):
    """The variables of an op after two steps."""
    function = getattr(tf.raw_ops, op)
    parameters = inspect.signature(function).parameters
    start = np.float32([[1, -1, 0.5], [0.02, 2, -0.3]])
    variables = {}
    for name, scale in _STATES.items():
        if name in parameters:
            positive = name in ("var", "linear", "m", "mom", "mg", "gradient_accumulator")
            variables[name] = tf.Variable(scale * (start if positive else np.abs(start) + 1))
    arguments = {name: value for name, value in _NUMBERS.items() if name in parameters} | flags
    arguments |= {name: variable.handle for name, variable in variables.items()}
    if "global_step" in parameters:
        arguments["global_step"] = tf.constant(3, tf.int64)
    grad = np.float32([[0.3, -0.2, 0.01], [1, 0.5, -2]])
    if indices is not None:
        arguments["indices"], grad = tf.constant(indices), grad[np.arange(len(indices)) % 2]
    arguments["delta" if "delta" in parameters else "grad"] = tf.constant(grad)
    for _ in range(2):
        function(**arguments)
    return variables


@row_for(op=_DENSE.split())
def a_step(tf, np, op):
    return _stepped(tf, np, f"ResourceApply{op}")


@row_for(op=_SPARSE.split())
def a_step_of_rows(tf, np, op):
    return _stepped(tf, np, f"ResourceSparseApply{op}", [1])


@row
def a_step_of_rows_that_repeat(tf, np):
    return [_stepped(tf, np, f"ResourceSparseApply{op}", [1, 0, 1, 1]) for op in ("Momentum", "Adagrad", "FtrlV2")]


@row
def a_step_with_other_flags(tf, np):
    return [
        _stepped(tf, np, "ResourceApplyMomentum", use_nesterov=True),
        _stepped(tf, np, "ResourceApplyKerasMomentum", use_nesterov=True),
        _stepped(tf, np, "ResourceSparseApplyMomentum", [1], use_nesterov=True),
        _stepped(tf, np, "ResourceApplyAdam", use_nesterov=True),
        _stepped(tf, np, "ResourceApplyAdagrad", update_slots=False),
        _stepped(tf, np, "ResourceSparseApplyAdagradV2", [1], update_slots=False),
        _stepped(tf, np, "ResourceApplyFtrl", multiply_linear_by_lr=True),
        _stepped(tf, np, "ResourceSparseApplyFtrlV2", [0], multiply_linear_by_lr=True),
    ]


@row
def steps_with_arguments_that_do_not_fit(tf):
    v, a = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    return [
        raised(lambda: tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=a.handle, lr=0.1, grad=[1.0], momentum=0.1),
               "var and grad do not have the same shape"),
        raised(lambda: tf.raw_ops.ResourceSparseApplyAdagrad(var=v.handle, accum=a.handle, lr=0.1, grad=[1.0],
                                                             indices=[[0]])),
        raised(lambda: tf.raw_ops.ApplyGradientDescent(var=v, alpha=0.1, delta=[1.0, 1.0]),
               "op does not support eager execution", "is a ref"),
        raised(lambda: tf.raw_ops.ScatterAdd(ref=v, indices=[0], updates=[1.0]), "is a ref"),
        raised(lambda: tf.raw_ops.BatchCholesky(input=[[1.0]]), "has been removed in version 13"),
        raised(lambda: tf.raw_ops.ResourceCountUpTo(resource=tf.Variable(3).handle, limit=3, T=tf.int32)),
    ]  # fmt: skip


@row_for(op=["Add", "Sub", "Mul", "Div", "Update", "Max", "Min"])
def rows_of_a_variable_change(tf, op):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    getattr(tf.raw_ops, f"ResourceScatter{op}")(resource=v.handle, indices=[2, 0], updates=[[2.0, 9.0], [4.0, 1.0]])
    return v


@row
def generators_draw(tf):
    state = tf.random.Generator.from_seed(7).state
    draws = [
        tf.raw_ops.StatefulStandardNormalV2(resource=state.handle, algorithm=1, shape=[3]),
        tf.raw_ops.StatefulTruncatedNormal(resource=state.handle, algorithm=1, shape=[2]),
        tf.raw_ops.StatefulUniform(resource=state.handle, algorithm=1, shape=[2], dtype=tf.float64),
        tf.raw_ops.StatefulUniformFullInt(resource=state.handle, algorithm=1, shape=[2]),
        tf.raw_ops.StatefulUniformInt(resource=state.handle, algorithm=1, shape=[4], minval=3, maxval=9),
        tf.raw_ops.StatefulRandomBinomial(resource=state.handle, algorithm=1, shape=[3, 1], counts=[5.0], probs=[0.4]),
        tf.raw_ops.RngReadAndSkip(resource=state.handle, alg=1, delta=tf.constant(3, tf.uint64)),
    ]
    tf.raw_ops.RngSkip(resource=state.handle, algorithm=1, delta=2)
    return draws, state, raised(
        lambda: tf.raw_ops.StatefulStandardNormalV2(resource=state.handle, algorithm=7, shape=[3])
    )
