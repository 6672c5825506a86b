"""`tf.compat.v1.train`'s optimizers, as they are in eager execution and in functions."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core import graphs
from tfcompat._core import restoring as _restoring
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.name_scope import current_scope, uncounted
from tfcompat._core.tensor import Tensor, TensorType
from tfcompat._core.variable import Variable
from tfcompat.array import cast
from tfcompat.compat._scopes import get_variable_scope
from tfcompat.function import init_scope
from tfcompat.function._gradients import gradients
from tfcompat.keras.optimizers._legacy_fused import fused_operation, update
from tfcompat.tape import GradientTape

_names: dict = {}  # name of a slot's variable -> how many there are


class Optimizer:
    """Updates variables by their gradients.

    Args:
      use_locking: of no effect.
      name: str, of the optimizer; its slots are called after it.

    TF: `tf.compat.v1.train.Optimizer`, as it is eagerly, without methods to be overridden: for optimizers of your own
    use `tf.keras.optimizers.Optimizer`. What it takes beside the loss and the variables (gates, aggregation) is of no
    effect.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    _is_of_tf1 = True  # `tf.keras.Model.compile` wraps it
    leaves_rows = False  # whether rows with a gradient of zero are updated as those without one are
    _operation: Any = None
    _slot_values: dict = {}  # name -> number that the slot is filled with
    _static: dict = {}

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._hyper: dict = {}  # numbers, tensors, or functions without arguments
        self._slots: dict = {}
        self._powers: list = []  # of Adam's decays

    @property
    def _learning_rate(self):
        """The learning rate as it was given, under the name by which libraries read and set it."""
        return self._hyper["learning_rate"]

    @_learning_rate.setter
    def _learning_rate(self, value):
        self._hyper["learning_rate"] = value

    def get_name(self):
        """The name given."""
        return self._name

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):  # fmt: skip
        """One step: `compute_gradients`, then `apply_gradients`; for the arguments see there."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):  # fmt: skip
        """The gradients of a loss.

        Args:
          loss: function without arguments that returns the loss, a tensor.
          var_list: list of variables; by default those that are trainable and used by `loss`.
          grad_loss: gradient of something else with respect to the loss, or None for ones.

        Returns:
          List of pairs (gradient or None, variable).

        Raises:
          RuntimeError: `loss` is no function.
        """
        if graphs.current() is not None:
            trained = graphs.current().get_collection("trainable_variables")
            variables = list(trained if var_list is None else var_list)
            if not variables:
                raise ValueError("No variables to optimize.")
            loss = loss() if callable(loss) and not isinstance(loss, Tensor) else loss
            return list(zip(gradients(loss, variables, grad_loss), variables, strict=True))
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """One step: updates each variable by its gradient.

        Args:
          grads_and_vars: pairs of gradient (tensor, `tf.IndexedSlices` or None) and variable.
          global_step: variable to count up, or None.
          name: of the operation of a graph, by default the optimizer's.

        Returns:
          Where a graph is built, the operation that does so; else None.

        Raises:
          ValueError: no pair, or none with a gradient.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        pairs_used = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        if not pairs_used:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
        gradients, variables = zip(*pairs_used, strict=True)
        with init_scope():
            made = sum(map(len, self._slots.values()))
            self._create_slots(variables)
            if made < sum(map(len, self._slots.values())):
                _restoring.resume()
        slots = [list(self._slots[variable._unique_id].values()) for variable in variables]
        hyper = [value() if callable(value) and not isinstance(value, TensorType) else value
                 for value in self._hyper.values()]  # fmt: skip
        args = gradients, variables, slots, hyper, self._powers, global_step
        if graphs.current() is None:
            return self._update_all(*args)
        op = graphs.record(self._update_all, args, {}, name or self._name, "NoOp", graphs.Inferred(None), effect=True)
        op.graph.add_to_collection("train_op", op)
        return op

    def _update_all(self, gradients, variables, slots, hyper, powers, global_step):
        """One step, with the values of the numbers in `hyper`."""
        with engine.watching(()):
            for gradient, variable, slots_of_it in zip(gradients, variables, slots, strict=True):
                numbers = [to_node(cast(number, variable.dtype)) for number in (*hyper, *powers)]
                self._apply(gradient, variable, slots_of_it, numbers)
            for power, name in zip(powers, ("beta1", "beta2"), strict=False):
                power.assign(power * cast(hyper[list(self._hyper).index(name)], power.dtype))
            if global_step is not None:
                global_step.assign_add(1)

    def get_slot(self, var, name):
        """A slot of a variable; None if there is none."""
        return self._slots.get(var._unique_id, {}).get(name)

    def get_slot_names(self):
        """The names of the slots, sorted."""
        return sorted(self._slot_values)

    def variables(self):
        """The optimizer's variables: the slots, then others; in a graph by their names."""
        found = [slot for slots in self._slots.values() for slot in slots.values()] + self._powers
        return found if graphs.current() is None else sorted(found, key=lambda variable: variable.name)

    def _create_slots(self, variables):
        for variable in variables:
            slots = self._slots.setdefault(variable._unique_id, {})
            for slot, value in self._slot_values.items():
                if slot not in slots:
                    full = np.full(variable.shape.as_list(), value, variable.dtype.np)
                    name = _slot_name(f"{variable._shared_name}/{self._name}")
                    slots[slot] = Variable(full, trainable=False, name=name)

    def _apply(self, gradient, variable, slots, numbers):
        if isinstance(gradient, IndexedSlices):
            nodes = to_node(gradient.values), to_node(gradient.indices)
        else:
            nodes = (to_node(convert_to_tensor(gradient), hint=variable.dtype),)
        attributes = engine.attributes_of(len(nodes) == 2, 0, len(numbers), *self._static.values())
        update(self._operation, variable, slots, (*nodes, *numbers), attributes)

    def _checkpoint_children(self):
        return []

    def _checkpoint_slots(self):
        return self._slots


def _own_name(name):
    """The name of a variable of an optimizer: in a graph it is in the scope here, and no name is given twice."""
    graph = graphs.current()
    return name if graph is None else f"{uncounted(current_scope() + name, graph.counters)}/"


def _slot_name(name):
    graph = graphs.current()
    if graph is not None:
        scope = get_variable_scope().name
        return f"{uncounted(f'{scope}/{name}' if scope else name, graph.counters)}/"
    _names[name] = number = _names.get(name, -1) + 1
    return f"{name}_{number}" if number else name


def _of(rule, *options, whole=False):
    return fused_operation(rule.__name__.strip("_"), rule, options, whole)


def _descent(variable, gradient, touched, rate):
    return (variable - rate * gradient,)


class GradientDescentOptimizer(Optimizer):
    """`variable -= learning_rate * gradient`. TF: `tf.compat.v1.train.GradientDescentOptimizer`."""

    _operation = _of(_descent)
    leaves_rows = True

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate}


def _momentum(variable, gradient, touched, rate, momentum, total, nesterov):
    total = total * momentum + gradient
    return variable - rate * (gradient + momentum * total if nesterov else total), total


class MomentumOptimizer(Optimizer):
    """`sum = momentum * sum + gradient; variable -= learning_rate * sum`.

    TF: `tf.compat.v1.train.MomentumOptimizer`; no known difference.
    """

    _operation = _of(_momentum, "nesterov")
    _slot_values = {"momentum": 0.0}

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate, "momentum": momentum}
        self._static = {"nesterov": bool(use_nesterov)}


def _adam(variable, gradient, touched, rate, beta1, beta2, epsilon, power1, power2, m, v):
    rate = rate * jnp.sqrt(1 - power2) / (1 - power1)
    m = m + (gradient - m) * (1 - beta1)
    v = v + (jnp.square(gradient) - v) * (1 - beta2)
    return variable - rate * m / (jnp.sqrt(v) + epsilon), m, v


class AdamOptimizer(Optimizer):
    """Kingma and Ba 2014, arXiv:1412.6980, with epsilon as in the paper's section 2.

    TF: `tf.compat.v1.train.AdamOptimizer`; no known difference.
    """

    _operation = _of(_adam, whole=True)
    leaves_rows = True
    _slot_values = {"m": 0.0, "v": 0.0}

    _lr = Optimizer._learning_rate

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False, name="Adam"):
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}

    def _create_slots(self, variables):
        if not self._powers:
            dtype = variables[0].dtype
            self._powers = [
                Variable(cast(self._number(beta), dtype), trainable=False, name=_own_name(f"{beta}_power"), dtype=dtype)
                for beta in ("beta1", "beta2")
            ]
        super()._create_slots(variables)

    def _number(self, name):
        return self._hyper[name]() if callable(self._hyper[name]) else self._hyper[name]

    def _checkpoint_children(self):
        return [("beta1_power", self._powers[0]), ("beta2_power", self._powers[1])] if self._powers else []


def _adagrad(variable, gradient, touched, rate, total):
    total = total + gradient * gradient
    return variable - rate * gradient * lax.rsqrt(total), total


class AdagradOptimizer(Optimizer):
    """`sum += gradient ** 2; variable -= learning_rate * gradient / sqrt(sum)`.

    TF: `tf.compat.v1.train.AdagradOptimizer`; no known difference.
    """

    _operation = _of(_adagrad)
    leaves_rows = True

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate}
        self._slot_values = {"accumulator": initial_accumulator_value}


def _adadelta(variable, gradient, touched, rate, rho, epsilon, squares, deltas):
    squares = squares * rho + jnp.square(gradient) * (1 - rho)
    delta = jnp.sqrt(deltas + epsilon) * lax.rsqrt(squares + epsilon) * gradient
    return variable - rate * delta, squares, deltas * rho + jnp.square(delta) * (1 - rho)


class AdadeltaOptimizer(Optimizer):
    """Zeiler 2012, arXiv:1212.5701. TF: `tf.compat.v1.train.AdadeltaOptimizer`."""

    _operation = _of(_adadelta)
    _slot_values = {"accum": 0.0, "accum_update": 0.0}

    _lr = Optimizer._learning_rate

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name="Adadelta"):
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate, "rho": rho, "epsilon": epsilon}


def _rmsprop(variable, gradient, touched, rate, decay, momentum, epsilon, squares, *rest):
    squares = squares + (jnp.square(gradient) - squares) * (1 - decay)
    *mean, total = rest
    mean = [one + (gradient - one) * (1 - decay) for one in mean]
    spread = squares - sum(jnp.square(one) for one in mean) if mean else squares
    total = total * momentum + rate * gradient * lax.rsqrt(spread + epsilon)
    return variable - total, squares, *mean, total


class RMSPropOptimizer(Optimizer):
    """Gradients divided by the root of their mean square, with momentum.

    TF: `tf.compat.v1.train.RMSPropOptimizer`; no known difference.
    """

    _operation = _of(_rmsprop)

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False,
                 name="RMSProp"):  # fmt: skip
        super().__init__(use_locking, name)
        self._hyper = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum, "epsilon": epsilon}
        self._slot_values = {"rms": 1.0, **({"mg": 0.0} if centered else {}), "momentum": 0.0}


def _ftrl(variable, gradient, touched, rate, power, l1, l2, shrinkage, beta, total, linear):
    l2 = l2 + beta / (2 * rate)
    squares = total + jnp.square(gradient)
    sigma = (jnp.power(squares, -power) - jnp.power(total, -power)) / rate
    linear = linear + gradient + 2 * shrinkage * variable - sigma * variable
    quadratic = jnp.power(squares, -power) / rate + 2 * l2
    return (jnp.clip(linear, -l1, l1) - linear) / quadratic, squares, linear


class FtrlOptimizer(Optimizer):
    """McMahan et al. 2013, "Ad click prediction". TF: `tf.compat.v1.train.FtrlOptimizer`."""

    _operation = _of(_ftrl)

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="Ftrl",
                 accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0, beta=None):  # fmt: skip
        super().__init__(use_locking, name)
        for value, argument in (
            (initial_accumulator_value, "initial_accumulator_value"), (l1_regularization_strength, "l1"),
            (l2_regularization_strength, "l2"), (l2_shrinkage_regularization_strength, "l2_shrinkage"),
        ):  # fmt: skip
            if value < 0.0:
                raise ValueError(f"FtrlOptimizer: {argument} must not be negative: {value}")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        self._hyper = {
            "learning_rate": learning_rate, "learning_rate_power": learning_rate_power,
            "l1": l1_regularization_strength, "l2": l2_regularization_strength,
            "l2_shrinkage": l2_shrinkage_regularization_strength, "beta": 0.0 if beta is None else beta,
        }  # fmt: skip
        self._slot_values = {"accum": initial_accumulator_value, "linear": 0.0}


def _shrunk(value, rate, l1, l2):
    """The proximal step for both penalties."""
    smaller = jnp.sign(value) * jnp.maximum(jnp.abs(value) - rate * l1, 0)
    return jnp.where(l1 > 0, smaller, value) / (1 + rate * l2)


def _proximal_descent(variable, gradient, touched, rate, l1, l2):
    return (_shrunk(variable - rate * gradient, rate, l1, l2),)


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent, after which each step shrinks variables as the penalties ask for.

    TF: `tf.compat.v1.train.ProximalGradientDescentOptimizer`.
    """

    _operation = _of(_proximal_descent)

    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name="ProximalGradientDescent"):  # fmt: skip
        super().__init__(use_locking, name)
        self._hyper = {
            "learning_rate": learning_rate, "l1": l1_regularization_strength, "l2": l2_regularization_strength
        }  # fmt: skip


def _proximal_adagrad(variable, gradient, touched, rate, l1, l2, total):
    total = total + gradient * gradient
    rate = rate * lax.rsqrt(total)
    return _shrunk(variable - rate * gradient, rate, l1, l2), total


class ProximalAdagradOptimizer(Optimizer):
    """Adagrad, after which each step shrinks variables as the penalties ask for.

    TF: `tf.compat.v1.train.ProximalAdagradOptimizer`.
    """

    _operation = _of(_proximal_adagrad)

    def __init__(self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="ProximalAdagrad"):  # fmt: skip
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._slot_values = {"accumulator": initial_accumulator_value}
        self._hyper = {
            "learning_rate": learning_rate, "l1": l1_regularization_strength, "l2": l2_regularization_strength
        }  # fmt: skip
