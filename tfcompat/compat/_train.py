"""`tf.compat.v1.train`: optimizers, the global step, and learning rates that follow it."""

import functools as _functools
import math as _math

import tfcompat as _tf
from tfcompat._core import graphs as _graphs
from tfcompat.compat._initializers import Zeros as _zeros
from tfcompat.compat._meta_graph_import import import_meta_graph as import_meta_graph
from tfcompat.compat._meta_graphs import export_meta_graph as export_meta_graph
from tfcompat.compat._optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tfcompat.compat._optimizers import AdagradOptimizer as AdagradOptimizer
from tfcompat.compat._optimizers import AdamOptimizer as AdamOptimizer
from tfcompat.compat._optimizers import FtrlOptimizer as FtrlOptimizer
from tfcompat.compat._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tfcompat.compat._optimizers import MomentumOptimizer as MomentumOptimizer
from tfcompat.compat._optimizers import Optimizer as Optimizer
from tfcompat.compat._optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from tfcompat.compat._optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from tfcompat.compat._optimizers import RMSPropOptimizer as RMSPropOptimizer
from tfcompat.compat._saver import Saver as Saver
from tfcompat.compat._scopes import get_default_graph as _get_default_graph
from tfcompat.compat._scopes import get_variable as _get_variable
from tfcompat.compat._summaries import summary_iterator as summary_iterator
from tfcompat.saved_model._messages import SaverDef as SaverDef

NewCheckpointReader = _tf.train.load_checkpoint
_KEY = "global_step"  # the collection that holds it


def get_global_step(graph=None):
    """The global step, None before it is made. TF: `tf.compat.v1.train.get_global_step`."""
    steps = (graph or _get_default_graph()).get_collection(_KEY)
    return steps[0] if steps else None


def create_global_step(graph=None):
    """Makes the global step, an int64 variable of value 0.

    Raises:
      ValueError: it exists.

    TF: `tf.compat.v1.train.create_global_step`.
    """
    graph = graph or _get_default_graph()
    if graph.get_collection(_KEY):
        raise ValueError('"global_step" already exists.')
    if _graphs.current() is None:
        with _tf.init_scope():
            graph.add_to_collection(_KEY, _tf.Variable(0, trainable=False, dtype=_tf.int64, name=_KEY))
    else:
        _get_variable(_KEY, [], _tf.int64, _zeros, trainable=False, collections=["variables", _KEY])
    return get_global_step(graph)


def get_or_create_global_step(graph=None):
    """The global step, made if need be. TF: `tf.compat.v1.train.get_or_create_global_step`."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def global_step(sess, global_step_tensor):
    """The step as an int. TF: `tf.compat.v1.train.global_step`."""
    value = global_step_tensor.numpy() if _tf.executing_eagerly() else sess.run(global_step_tensor)
    return int(value)


def _following(schedule, step):
    """Eagerly a function without arguments, as optimizers take it; in a function or graph the tensor."""
    if _graphs.current() is not None:
        kind = getattr(schedule, "name", None) or type(schedule).__name__
        return _graphs.record(schedule, (step,), {}, kind, kind)
    rate = _functools.partial(schedule, step)
    return rate if _tf.executing_eagerly() else rate()


_schedules = _tf.keras.optimizers.schedules


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """`learning_rate * decay_rate ** (global_step / decay_steps)`. TF: `tf.compat.v1.train.exponential_decay`."""
    return _following(_schedules.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase), global_step)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`. TF: `tf.compat.v1.train.inverse_time_decay`."""
    return _following(_schedules.InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase), global_step)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`. TF: `tf.compat.v1.train.natural_exp_decay`."""
    base = _tf.math.exp(_tf.math.negative(_tf.cast(decay_rate, _tf.convert_to_tensor(learning_rate).dtype)))
    return exponential_decay(learning_rate, global_step, decay_steps, base, staircase)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                     name=None):  # fmt: skip
    """From `learning_rate` to `end_learning_rate` in `decay_steps`. TF: `tf.compat.v1.train.polynomial_decay`."""
    schedule = _schedules.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
    return _following(schedule, global_step)


def piecewise_constant(x, boundaries, values, name=None):
    """One of `values`, by where `x` lies between the `boundaries`. TF: `tf.compat.v1.train.piecewise_constant`."""
    return _following(_schedules.PiecewiseConstantDecay(list(boundaries), list(values)), x)


piecewise_constant_decay = piecewise_constant


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Half a cosine from `learning_rate` to `alpha` of it. TF: `tf.compat.v1.train.cosine_decay`."""
    return _following(_schedules.CosineDecay(learning_rate, decay_steps, alpha), global_step)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """Half cosines one after the other. TF: `tf.compat.v1.train.cosine_decay_restarts`."""
    return _following(
        _schedules.CosineDecayRestarts(learning_rate, first_decay_steps, t_mul, m_mul, alpha), global_step
    )


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """Bello et al. 2017, arXiv:1709.07417. TF: `tf.compat.v1.train.linear_cosine_decay`."""

    def schedule(step):
        rate = _tf.convert_to_tensor(learning_rate)
        done = _tf.minimum(_tf.cast(step, rate.dtype), decay_steps) / decay_steps
        cosine = 0.5 * (1.0 + _tf.cos(_math.pi * 2.0 * num_periods * done))
        return rate * ((alpha + 1.0 - done) * cosine + beta)

    return _following(schedule, global_step)
