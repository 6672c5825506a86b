"""Ops of `tf.raw_ops` that change variables. `variable.handle` is the variable itself here."""

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat.array import broadcast_to, gather, reshape
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.math import abs, maximum, sign, sqrt, square
from tfcompat.raw_ops._registry import raw


def _checked(op, **variables):
    for name, variable in variables.items():
        if not hasattr(variable, "assign_sub"):
            raise UnimplementedError(
                None, None, f"tf.raw_ops.{op}: `{name}` must be a tf.Variable, or its handle; use its methods"
            )


def _alike(grad, variable):
    """The gradient as a tensor of the shape of a variable."""
    grad = convert_to_tensor(grad, variable.dtype)
    if not grad.shape.is_compatible_with(variable.shape):
        raise InvalidArgumentError(
            None, None, f"var and grad do not have the same shape {variable.shape} {grad.shape}"
        )
    return grad


def _scalar(value, variable):
    return convert_to_tensor(value, variable.dtype)


def _rows(variable, indices, updates):
    """IndexedSlices of any number of indices; a scalar stands for all elements."""
    indices, updates = convert_to_tensor(indices), convert_to_tensor(updates, variable.dtype)
    row = variable.shape.as_list()[1:]
    if updates.shape.rank == 0:
        updates = broadcast_to(updates, [*indices.shape.as_list(), *row])
    return IndexedSlices(reshape(updates, [-1, *row]), reshape(indices, [-1]))


@raw()
def ResourceScatterAdd(*, resource, indices, updates, name=None):
    """Adds to rows of a variable. TF: `tf.raw_ops.ResourceScatterAdd`, of variables themselves."""
    _checked("ResourceScatterAdd", resource=resource)
    resource.scatter_add(_rows(resource, indices, updates))


@raw()
def ResourceScatterSub(*, resource, indices, updates, name=None):
    """Subtracts from rows of a variable. TF: `tf.raw_ops.ResourceScatterSub`, of variables themselves."""
    _checked("ResourceScatterSub", resource=resource)
    resource.scatter_sub(_rows(resource, indices, updates))


@raw()
def ResourceScatterUpdate(*, resource, indices, updates, name=None):
    """Sets rows of a variable. TF: `tf.raw_ops.ResourceScatterUpdate`, of variables themselves."""
    _checked("ResourceScatterUpdate", resource=resource)
    resource.scatter_update(_rows(resource, indices, updates))


@raw()
def ResourceApplyGradientDescent(*, var, alpha, delta, use_locking=False, name=None):
    """Takes `alpha * delta` off a variable. TF: `tf.raw_ops.ResourceApplyGradientDescent`, of variables themselves."""
    _checked("ResourceApplyGradientDescent", var=var)
    var.assign_sub(_scalar(alpha, var) * _alike(delta, var))


@raw()
def ResourceApplyMomentum(*, var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False, name=None):
    """`accum = accum * momentum + grad`, and `lr` times that is taken off a variable.

    TF: `tf.raw_ops.ResourceApplyMomentum`, of variables themselves.
    """
    _checked("ResourceApplyMomentum", var=var, accum=accum)
    grad, lr, momentum = _alike(grad, var), _scalar(lr, var), _scalar(momentum, var)
    accum.assign(accum * momentum + grad)
    var.assign_sub(grad * lr + accum * momentum * lr if use_nesterov else accum * lr)


@raw()
def ResourceApplyKerasMomentum(*, var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False, name=None):
    """`accum = accum * momentum - lr * grad`, which is added to a variable.

    TF: `tf.raw_ops.ResourceApplyKerasMomentum`, of variables themselves.
    """
    _checked("ResourceApplyKerasMomentum", var=var, accum=accum)
    grad, lr, momentum = _alike(grad, var), _scalar(lr, var), _scalar(momentum, var)
    accum.assign(accum * momentum - grad * lr)
    var.assign_add(accum * momentum - grad * lr if use_nesterov else accum)


@raw()
def ResourceSparseApplyKerasMomentum(*, var, accum, lr, grad, indices, momentum, use_locking=False,
                                     use_nesterov=False, name=None):  # fmt: skip
    """As `ResourceApplyKerasMomentum`, of the rows at `indices`, which must not repeat.

    TF: `tf.raw_ops.ResourceSparseApplyKerasMomentum`, of variables themselves.
    """
    _checked("ResourceSparseApplyKerasMomentum", var=var, accum=accum)
    indices, grad = convert_to_tensor(indices), convert_to_tensor(grad, var.dtype)
    lr, momentum = _scalar(lr, var), _scalar(momentum, var)
    rows = gather(accum, indices) * momentum - grad * lr
    accum.scatter_update(IndexedSlices(rows, indices))
    var.scatter_add(IndexedSlices(rows * momentum - grad * lr if use_nesterov else rows, indices))


@raw()
def ResourceApplyProximalAdagrad(*, var, accum, lr, l1, l2, grad, use_locking=False, name=None):
    """A step of Adagrad, then one towards zero: `l1` takes a constant off each weight, `l2` a share of it.

    TF: `tf.raw_ops.ResourceApplyProximalAdagrad`, of variables themselves.
    """
    _checked("ResourceApplyProximalAdagrad", var=var, accum=accum)
    grad, lr = _alike(grad, var), _scalar(lr, var)
    l1, l2 = _scalar(l1, var), _scalar(l2, var)
    accum.assign_add(square(grad))
    rate = lr / sqrt(accum)
    step = var - grad * rate
    var.assign(sign(step) * maximum(abs(step) - rate * l1, 0) / (1 + l2 * rate))


@raw()
def ResourceApplyAdam(*, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_locking=False,
                      use_nesterov=False, name=None):  # fmt: skip
    """A step of Adam.

    TF: `tf.raw_ops.ResourceApplyAdam`, of variables themselves.
    """
    _checked("ResourceApplyAdam", var=var, m=m, v=v)
    grad = _alike(grad, var)
    beta1_power, beta2_power, lr, beta1, beta2, epsilon = (
        _scalar(x, var) for x in (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
    )
    rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m.assign_add((grad - m) * (1 - beta1))
    v.assign_add((square(grad) - v) * (1 - beta2))
    ahead = grad * (1 - beta1) + beta1 * m if use_nesterov else m
    var.assign_sub(ahead * rate / (sqrt(v) + epsilon))


@raw()
def ResourceApplyAdagradV2(*, var, accum, lr, epsilon, grad, use_locking=False, update_slots=True, name=None):
    """A step of Adagrad.

    TF: `tf.raw_ops.ResourceApplyAdagradV2`, of variables themselves.
    """
    _checked("ResourceApplyAdagradV2", var=var, accum=accum)
    grad, lr, epsilon = _alike(grad, var), _scalar(lr, var), _scalar(epsilon, var)
    if update_slots:
        accum.assign_add(square(grad))
    var.assign_sub(grad * lr / (sqrt(accum) + epsilon))


@raw()
def ResourceApplyRMSProp(*, var, ms, mom, lr, rho, momentum, epsilon, grad, use_locking=False, name=None):
    """A step of RMSprop.

    TF: `tf.raw_ops.ResourceApplyRMSProp`, of variables themselves.
    """
    _checked("ResourceApplyRMSProp", var=var, ms=ms, mom=mom)
    grad = _alike(grad, var)
    lr, rho, momentum, epsilon = (_scalar(x, var) for x in (lr, rho, momentum, epsilon))
    ms.assign_add((square(grad) - ms) * (1 - rho))
    mom.assign(mom * momentum + lr * grad / sqrt(ms + epsilon))
    var.assign_sub(mom)
