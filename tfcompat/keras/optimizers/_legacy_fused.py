"""Optimizers of the older kind whose update is one operation of the engine."""

from typing import Any

import jax.numpy as jnp

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.variable import updated
from tfcompat.array import stack
from tfcompat.keras.optimizers._legacy import Optimizer
from tfcompat.keras.optimizers._update import _of_shape, _sum_of_rows


def _is_own(method):
    """Whether a method is a subclass's."""
    return not method.__module__.startswith("tfcompat.")


class Fused(Optimizer):
    """An optimizer whose update is one operation of the engine."""

    _operation: Any = None
    _hyper_names: tuple = ()  # names of the hyperparameters that the operation takes
    _static: tuple = ()  # names of attributes, its options
    _of_step: tuple = ()  # entries of the state that stand for the number of steps, if a subclass sets them

    def _has_own_parts(self):
        """Whether a subclass overrides parts of an update, which may read or set the state of `_prepare_local`."""
        return any(map(_is_own, (self._prepare_local, self._resource_apply_dense, self._resource_apply_sparse)))

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        if self._has_own_parts():
            state = apply_state[var_device, var_dtype]
            state.update(self._coefficients(var_dtype, state["lr_t"]))

    def _coefficients(self, dtype, rate):
        """Further entries of the state of a step, for subclasses: a dict."""
        return {name: convert_to_tensor(self._get_hyper(name, dtype)) for name in self._hyper_names}

    def _slots_of(self, var):
        slots = self._slots.get(var._unique_id, {})
        return [slots[name] for name in self._slot_names if name in slots]

    def _shared(self, state):
        """Further inputs of the operation."""
        return ()

    def _update(self, var, gradient, state):
        state = (state or {}).get((var.device, var.dtype)) or self._fallback_apply_state(var.device, var.dtype)
        static = [getattr(self, name) for name in self._static]
        step: Any = self.iterations
        if self._has_own_parts():
            hypers = [to_node(state[name if name in state else f"{name}_t"]) for name in self._hyper_names]
            step = stack([state[name] for name in self._of_step]) if self._of_step else step
            if "epsilon" in self._static:
                hypers.append(to_node(state["epsilon"]))
                static[self._static.index("epsilon")] = None
        else:
            hypers = [to_node(self._get_hyper(name, var.dtype)) for name in self._hyper_names]
        shared = (to_node(state["lr_t"]), to_node(step), *(to_node(x) for x in self._shared(state)))
        attributes = engine.attributes_of(len(gradient) == 2, len(shared), len(hypers), *static)
        update(self._operation, var, self._slots_of(var), (*gradient, *shared, *hypers), attributes)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        self._update(var, (to_node(grad, hint=var.dtype),), apply_state)

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices, **kwargs):
        if _is_own(self._resource_apply_sparse):
            super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        else:
            self._update(var, (to_node(grad), to_node(indices)), kwargs.get("apply_state"))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        self._update(var, (to_node(grad), to_node(indices)), apply_state)


def update(operation, variable, slots, inputs, attributes):
    """Updates a variable and its slots.

    Args:
      operation: what `fused_operation` returns.
      variable, slots: variable, and list of variables.
      inputs: tuple of nodes: the gradient and the numbers, which the operation takes between variable and slots.
      attributes: of the call.
    """
    targets = [variable, *slots]
    updated(targets, lambda now, *slots: engine.apply(operation, (now, *inputs, *slots), attributes))


def fused_operation(name, rule, options=(), whole=True):
    """An operation that updates a variable and its slots.

    Args:
      name: str, shown in messages.
      rule: pure function of (variable, gradient, touched, rate, step, *shared, *hypers, *slots, **options) that
        returns the new variable and slots as a tuple. `touched` tells which rows have a gradient, or is None.
      options: names of the rule's options, static; `epsilon` is a hyperparameter, the last, where it is None.
      whole: whether rows without a gradient are updated too, with a gradient of zero; else they stay.

    Returns:
      Operation of (variable, gradient, rate, step, *shared, *hypers, *slots). The gradient is two arrays, rows and
      their indices, if `sparse`.
    """

    def updated(variable, *rest, sparse, shared, hyper_count, **static):
        values = list(rest)
        touched = None
        if sparse:
            rows, indices = values.pop(0), values.pop(0)
            gradient = _sum_of_rows(rows, indices, variable)
            touched = jnp.zeros(variable.shape[:1], bool).at[indices].set(True)
            touched = touched.reshape(-1, *[1] * (variable.ndim - 1))
        else:
            gradient = _of_shape(values.pop(0), variable)
        if static.get("epsilon", 0) is None:  # given as the last of the hyperparameters
            hyper_count -= 1
            static["epsilon"] = values.pop(shared + hyper_count)
        results = rule(variable, gradient, touched, *values, **static)
        if touched is None or whole:
            return results
        before = (variable, *values[shared + hyper_count :])
        return tuple(jnp.where(touched, new, old) for new, old in zip(results, before, strict=True))

    static_names = ("sparse", "shared", "hyper_count", *options)
    identity = f"{rule.__module__}:{rule.__qualname__}:{name}:{whole}"
    return engine.Operation(name, updated, static_names, differentiable=False, identity=identity)
