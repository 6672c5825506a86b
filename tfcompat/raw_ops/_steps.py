"""Raw ops that take a step of an optimizer: one formula each, for whole variables and for some of their rows."""

import inspect

import numpy as np

from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat.array import cast, gather
from tfcompat.errors import InvalidArgumentError
from tfcompat.math import abs, exp, maximum, pow, rsqrt, sign, sqrt, square
from tfcompat.raw_ops._definitions import definition
from tfcompat.raw_ops._registry import made
from tfcompat.raw_ops._state import variable_of

_FLAGS = frozenset(("use_nesterov", "update_slots", "multiply_linear_by_lr"))


def _step(kind, *states):
    """Decorator that makes all ops of a kind: `ResourceApply<kind>`, `ResourceSparseApply<kind>`, those of references.

    Args:
      kind: name.
      *states: names of the parameters that are variables. The function takes their values, the gradient `grad` and the
        other parameters by name, and returns the new values.
    """

    def decorate(formula):
        for name in (f"ResourceApply{kind}", f"ResourceSparseApply{kind}", f"Apply{kind}", f"SparseApply{kind}"):
            if definition(name) is not None:
                _make(name, formula, states)
        return formula

    return decorate


def _make(name, formula, states):
    known = definition(name)
    takes = {*inspect.signature(formula).parameters, *states}

    def run(indices=None, **arguments):
        if "delta" in arguments:
            arguments["grad"] = arguments.pop("delta")
        variables = [variable_of(arguments.pop(state), name, state) for state in states]
        var = variables[0]
        grad = convert_to_tensor(arguments.pop("grad"), var.dtype)
        numbers = {p: x if p in _FLAGS else cast(convert_to_tensor(x), var.dtype) for p, x in arguments.items()}
        if indices is None:
            if not grad.shape.is_compatible_with(var.shape):
                raise InvalidArgumentError(
                    None, None, f"var and grad do not have the same shape {var.shape} {grad.shape} [Op:{name}]"
                )
            for variable, value in zip(variables, formula(*variables, grad=grad, **numbers), strict=True):
                variable.assign(value)
        else:
            for places, rows in _without_repetition(convert_to_tensor(indices), grad, name):
                values = formula(*(gather(v, places) for v in variables), grad=rows, **numbers)
                for variable, value in zip(variables, values, strict=True):
                    variable.scatter_update(IndexedSlices(value, places))
        return var if known.results else None

    accepted = {p: p for p in known.parameters if p in takes or p in ("delta", "indices")}
    made(name, run, accepted, doc=formula.__doc__)


def _without_repetition(indices, grad, name):
    """Pairs of indices and rows: several if an index repeats, since TensorFlow takes one step after the other.

    In a traced function indices are not known, and must not repeat.
    """
    if indices.shape.rank != 1 or grad.shape[:1] != indices.shape:
        raise InvalidArgumentError(
            None, None, f"indices must be a vector of the first size of grad, got {indices.shape} and {grad.shape} "
            f"[Op:{name}]"
        )  # fmt: skip
    numbers = known_values(indices)
    if numbers is None or len(np.unique(numbers)) == len(numbers):
        yield indices, grad
        return
    turns = np.array([np.count_nonzero(numbers[:i] == number) for i, number in enumerate(numbers)])
    for turn in range(turns.max() + 1):
        places = host_constant(np.flatnonzero(turns == turn))
        yield gather(indices, places), gather(grad, places)


def _shrunk(step, rate, l1, l2):
    """A step towards zero: `l1` takes a constant off each weight, `l2` a share of it."""
    return sign(step) * maximum(abs(step) - rate * l1, 0) / (1 + rate * l2)


@_step("GradientDescent", "var")
def _gradient_descent(var, grad, alpha):
    """A step of gradient descent: `alpha * delta` is taken off."""
    return (var - alpha * grad,)


@_step("ProximalGradientDescent", "var")
def _proximal_gradient_descent(var, grad, alpha, l1, l2):
    """A step of gradient descent, then one towards zero."""
    return (_shrunk(var - alpha * grad, alpha, l1, l2),)


@_step("Momentum", "var", "accum")
def _momentum(var, accum, grad, lr, momentum, use_nesterov):
    """`accum = accum * momentum + grad`, and `lr` times that is taken off."""
    accum = accum * momentum + grad
    return var - (grad * lr + accum * momentum * lr if use_nesterov else accum * lr), accum


@_step("KerasMomentum", "var", "accum")
def _keras_momentum(var, accum, grad, lr, momentum, use_nesterov):
    """`accum = accum * momentum - lr * grad`, which is added."""
    accum = accum * momentum - grad * lr
    return var + (accum * momentum - grad * lr if use_nesterov else accum), accum


@_step("Adagrad", "var", "accum")
def _adagrad(var, accum, grad, lr, update_slots):
    """A step of Adagrad."""
    accum = accum + square(grad) if update_slots else accum + 0
    return var - grad * lr * rsqrt(accum), accum


@_step("AdagradV2", "var", "accum")
def _adagrad_v2(var, accum, grad, lr, epsilon, update_slots):
    """A step of Adagrad."""
    accum = accum + square(grad) if update_slots else accum + 0
    return var - grad * lr / (sqrt(accum) + epsilon), accum


@_step("ProximalAdagrad", "var", "accum")
def _proximal_adagrad(var, accum, grad, lr, l1, l2):
    """A step of Adagrad, then one towards zero: `l1` takes a constant off each weight, `l2` a share of it."""
    accum = accum + square(grad)
    rate = lr / sqrt(accum)
    return _shrunk(var - grad * rate, rate, l1, l2), accum


@_step("AdagradDA", "var", "gradient_accumulator", "gradient_squared_accumulator")
def _adagrad_da(var, total, squares, grad, lr, l1, l2, global_step):
    """A step of Adagrad with dual averaging."""
    total, squares = total + grad, squares + square(grad)
    excess = sign(total) * maximum(abs(total) - l1 * global_step, 0)
    return -lr * excess / (l2 * global_step * lr + sqrt(squares)), total, squares


@_step("Adadelta", "var", "accum", "accum_update")
def _adadelta(var, accum, accum_update, grad, lr, rho, epsilon):
    """A step of Adadelta."""
    accum = accum * rho + square(grad) * (1 - rho)
    update = sqrt(accum_update + epsilon) * rsqrt(accum + epsilon) * grad
    return var - update * lr, accum, accum_update * rho + square(update) * (1 - rho)


def _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, multiply_linear_by_lr, l2_shrinkage=None):
    shrunk = grad if l2_shrinkage is None else grad + 2 * l2_shrinkage * var
    new_accum = accum + square(grad)
    before, after = pow(accum, -lr_power), pow(new_accum, -lr_power)
    if multiply_linear_by_lr:
        linear = linear + shrunk * lr - (after - before) * var
        limit, scale = l1 * lr, after + 2 * l2 * lr
    else:
        linear = linear + shrunk - (after - before) / lr * var
        limit, scale = l1, after / lr + 2 * l2
    return -sign(linear) * maximum(abs(linear) - limit, 0) / scale, new_accum, linear


@_step("Ftrl", "var", "accum", "linear")
def _ftrl_v1(var, accum, linear, grad, lr, l1, l2, lr_power, multiply_linear_by_lr):
    """A step of FTRL."""
    return _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, multiply_linear_by_lr)


@_step("FtrlV2", "var", "accum", "linear")
def _ftrl_v2(var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr):
    """A step of FTRL, whose gradient has a share `2 * l2_shrinkage` of the weights."""
    return _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, multiply_linear_by_lr, l2_shrinkage)


@_step("Adam", "var", "m", "v")
def _adam(var, m, v, grad, beta1_power, beta2_power, lr, beta1, beta2, epsilon, use_nesterov):
    """A step of Adam."""
    rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m, v = m + (grad - m) * (1 - beta1), v + (square(grad) - v) * (1 - beta2)
    ahead = grad * (1 - beta1) + beta1 * m if use_nesterov else m
    return var - ahead * rate / (sqrt(v) + epsilon), m, v


@_step("AdamWithAmsgrad", "var", "m", "v", "vhat")
def _amsgrad(var, m, v, vhat, grad, beta1_power, beta2_power, lr, beta1, beta2, epsilon):
    """A step of Adam by the largest second moment so far."""
    rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m, v = m + (grad - m) * (1 - beta1), v + (square(grad) - v) * (1 - beta2)
    vhat = maximum(vhat, v)
    return var - m * rate / (sqrt(vhat) + epsilon), m, v, vhat


@_step("AdaMax", "var", "m", "v")
def _adamax(var, m, v, grad, beta1_power, lr, beta1, beta2, epsilon):
    """A step of AdaMax."""
    m, v = m + (grad - m) * (1 - beta1), maximum(beta2 * v, abs(grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


@_step("RMSProp", "var", "ms", "mom")
def _rmsprop(var, ms, mom, grad, lr, rho, momentum, epsilon):
    """A step of RMSprop."""
    ms = ms + (square(grad) - ms) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    return var - mom, ms, mom


@_step("CenteredRMSProp", "var", "mg", "ms", "mom")
def _centered_rmsprop(var, mg, ms, mom, grad, lr, rho, momentum, epsilon):
    """A step of RMSprop by the variance of gradients."""
    ms = ms + (square(grad) - ms) * (1 - rho)
    mg = mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms - square(mg) + epsilon)
    return var - mom, mg, ms, mom


@_step("AddSign", "var", "m")
def _add_sign(var, m, grad, lr, alpha, sign_decay, beta):
    """A step of AddSign."""
    m = m * beta + grad * (1 - beta)
    return var - lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad, m


@_step("PowerSign", "var", "m")
def _power_sign(var, m, grad, lr, logbase, sign_decay, beta):
    """A step of PowerSign."""
    m = m * beta + grad * (1 - beta)
    return var - lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad, m
