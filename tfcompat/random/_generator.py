"""`tf.random.Generator`: a stream of random numbers whose state is a variable."""

import numpy as np

from tfcompat import distribute, dtypes, engine
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat.array import bitcast, cast, concat, reshape, stack, unstack, zeros_like
from tfcompat.distribute._variables import as_replica, replicas_to_update
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.random import _operations as operations
from tfcompat.random._arguments import (
    FLOATS,
    FULL_RANGE_INTEGERS,
    INTEGERS,
    Algorithm,
    algorithm_number,
    as_shape,
    check_dtype,
    product_of_shape,
    record,
    sizes_of,
    unsupported_algorithm,
)
from tfcompat.random._philox import BLOCKS_PER_OUTPUT
from tfcompat.random._seed import advance, entropy_state
from tfcompat.random._stateful import bounds_of, integers_between, scale_and_offset
from tfcompat.random._stateless import check_binomial, reserved_by_binomial

_STATE_SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}
_MASK_64 = 2**64 - 1


class Generator:
    """A generator of random numbers.

    Args:
      copy_from: Generator whose state and algorithm are taken over; then nothing else is given.
      state: vector of integers, or an int64 variable that then holds the state.
      alg: algorithm: "philox", "auto_select", a number or `tf.random.Algorithm`. "threefry" can be created,
        but draws no numbers, as in TF on CPU.

    Raises:
      AssertionError: neither `copy_from` nor `state` and `alg`.
      ValueError: the state's size is not that of the algorithm.

    The state is a `tf.Variable` of the counter's two words and the key, which every draw moves on; so a
    generator works in a `tf.function` and in a checkpoint.

    >>> tf.random.Generator.from_seed(1).uniform([], 0, 7, dtype=tf.int32).numpy()
    4

    TF: `tf.random.Generator`; the same numbers.
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        self._has_replicas = distribute.has_strategy()
        if copy_from is not None:
            assert (alg or state) is None
            self._state_var, self._alg = _state_variable(copy_from.state), copy_from.algorithm
            return
        assert alg is not None and state is not None
        self._alg = algorithm_number(alg)
        if isinstance(state, Variable):
            _check_compatible(state.shape, [_state_size(self._alg)])
            self._state_var = state
        else:
            state = _int64(state)
            _check_compatible(state.shape, [_state_size(self._alg)])
            self._state_var = _state_variable(state)

    @classmethod
    def from_state(cls, state, alg):
        """A generator with the given state; see the class."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator that starts from a seed.

        Args:
          seed: int of any size, or integers.
          alg: algorithm, Philox by default.
        """
        alg = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator with a state that nobody can predict."""
        alg = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        return cls(state=entropy_state(_state_size(alg)), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator with the given key, an integer scalar, and counter, a vector of two integers."""
        alg = algorithm_number(alg)
        return cls(state=_state_of_key_counter(key, counter, alg), alg=alg)

    @property
    def state(self):
        """The variable with the state: counter, low word first, then key."""
        return self._state_var

    @property
    def algorithm(self):
        """The algorithm's number."""
        return self._alg

    @property
    def key(self):
        """The key, an int64 scalar tensor."""
        return self._state_var[-1]

    def reset(self, state):
        """Replaces the state. Raises ValueError if the size does not fit."""
        state = _int64(state)
        _check_compatible(state.shape, [_state_size(self._alg)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed):
        """Starts again from a seed, as `from_seed`."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Starts again from a key and a counter, as `from_key_counter`."""
        self._state_var.assign(_state_of_key_counter(key, counter, self._alg))

    def skip(self, delta):
        """Moves on as if `delta` numbers had been drawn.

        Args:
          delta: integer scalar.

        Returns:
          The state before, int64 tensor.
        """
        if isinstance(delta, Tensor) and delta.dtype == dtypes.string:
            raise UnimplementedError(None, None, "Cast string to uint64 is not supported [Op:Cast]")
        return wrap(self._advance(delta))

    def _advance(self, delta):
        if self._state_var.dtype != dtypes.int64:
            message = f"dtype of RNG state variable must be int64, not {self._state_var.dtype.name}"
            raise InvalidArgumentError(None, None, f"{message} [Op:RngReadAndSkip] name: ")
        if self._alg == Algorithm.THREEFRY.value:
            message = "the ThreeFry algorithm does not run here, nor in TF on CPU; use alg='philox'"
            raise UnimplementedError(None, None, f"{message} [Op:RngReadAndSkip] name: ")
        replica = self._replica()
        if replica is not None and replica.strategy._has_one_place:  # moves on once for all of them
            return replica.merge_call(lambda strategy: wrap(self._moved(delta)))._node
        if not self._has_replicas:
            return self._moved(delta)
        before = []
        for number in replicas_to_update([self._state_var]):  # outside of replicas the parts of all move on
            with as_replica(number):
                before.append(self._moved(delta))
        return before[0]

    def _moved(self, delta):
        if isinstance(delta, int) or function_trace(engine.state.graph) is None:
            return advance(self._state_var, int(delta) * BLOCKS_PER_OUTPUT)
        blocks = cast(delta, dtypes.uint64) * convert_to_tensor(BLOCKS_PER_OUTPUT, dtypes.uint64)
        return advance(self._state_var, blocks)

    def _advance_by_shape(self, shape):
        """Moves on by the numbers a shape asks for; whether it is fit to be a shape is checked afterwards."""
        shape = as_shape(shape)
        return shape, self._of_replica(self._advance(product_of_shape(shape)))

    def _replica(self):
        """The ReplicaContext where a generator made in the scope of a strategy is used in its `run`; else None."""
        return distribute.get_replica_context() if self._has_replicas and distribute.has_strategy() else None

    def _of_replica(self, state):
        """The state with the replica's own key, where one made in the scope of a strategy is used in its `run`."""
        replica = self._replica()
        if replica is None:
            return state
        state = wrap(state)
        replica_state = concat([[int(replica.replica_id_in_sync_group), 0], state[2:]], 0)
        key = record(operations.FULL_RANGE_INTEGER, (replica_state._node,), (1,), dtypes.int64.np)
        return concat([state[:2], key], 0)._node

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers; arguments, result and errors as of `tf.random.normal`."""
        return self._normal(operations.NORMAL, "StatelessRandomNormalV2", shape, mean, stddev, dtype)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers within two standard deviations; as `tf.random.truncated_normal`."""
        operation = operations.TRUNCATED_NORMAL
        return self._normal(operation, "StatelessTruncatedNormalV2", shape, mean, stddev, dtype)

    def _normal(self, operation, kernel, shape, mean, stddev, dtype):
        dtype = dtypes.as_dtype(dtype)
        affine = scale_and_offset(mean, stddev, dtype)
        shape, state = self._advance_by_shape(shape)
        check_dtype(dtype, FLOATS)
        return record(operation, (state, *affine), sizes_of(shape, kernel), dtype.np)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """Uniformly distributed numbers in [minval, maxval).

        Arguments, result and errors as of `tf.random.uniform`; with None for both bounds and an integer dtype
        (uint32 and uint64 too), all its values occur.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`; "
                    f"got minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype)
        elif maxval is None:
            maxval = 1
        bounds = bounds_of(minval, maxval, dtype)
        shape, state = self._advance_by_shape(shape)
        if dtype.is_integer:
            kernel = "StatelessRandomUniformIntV2"
            if dtype not in INTEGERS:
                message = f"Could not find device for node {kernel}: the bounds must be int32 or int64"
                raise NotFoundError(None, None, f"{message}, got {dtype.name} [Op:{kernel}] name: ")
            sizes = sizes_of(shape, kernel)
            return record(integers_between(bounds, sizes, kernel), (state, *bounds), sizes)
        check_dtype(dtype, FLOATS)
        sizes = sizes_of(shape, "StatelessRandomUniformV2")
        return record(operations.UNIFORM, (state, *bounds), sizes, dtype.np)

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Integers of every value of `dtype`: int32, int64, uint32 or uint64."""
        dtype = dtypes.as_dtype(dtype)
        shape, state = self._advance_by_shape(shape)
        check_dtype(dtype, FULL_RANGE_INTEGERS)
        sizes = sizes_of(shape, "StatelessRandomUniformFullIntV2")
        return record(operations.FULL_RANGE_INTEGER, (state,), sizes, dtype.np)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """Samples of binomial distributions.

        Arguments, result and errors as of `tf.random.stateless_binomial`. Gradient: LookupError, as in TF.
        """
        kernel = "StatefulRandomBinomial"
        counts, probs = convert_to_tensor(counts), convert_to_tensor(probs)
        sizes = sizes_of(as_shape(shape), kernel)
        samples, dtype = check_binomial(sizes, counts, probs, dtype, kernel)
        state = self._advance(reserved_by_binomial(sizes, samples))
        return record(operations.BINOMIAL, (state, counts, probs), samples, dtype.np)

    def make_seeds(self, count=1):
        """Seeds for stateless functions: int64 tensor of shape [2, count], a seed in each column."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count=1):
        """A list of `count` generators independent of this one and of each other."""
        if count is None:
            raise ValueError("Attempt to convert a value (None) with an unsupported type to a Tensor: `count`")
        keys = unstack(self.uniform_full_int([count], dtypes.int64)) if count else []
        zeros = [0] * (_state_size(self._alg) - 1)
        return [Generator(state=_state_of(zeros, key), alg=self._alg) for key in keys]


def create_rng_state(seed, alg):
    """The state of a generator that starts from a seed.

    Args:
      seed: int of any size, or integers; shorter ones are filled up with zeros in front.
      alg: algorithm: "philox", "threefry", "auto_select", a number or `tf.random.Algorithm`.

    Returns:
      int64 tensor: [3] for Philox, [2] for ThreeFry.

    Raises:
      ValueError: an unknown algorithm.

    TF: `tf.random.create_rng_state`; the same state.
    """
    size = _state_size(algorithm_number(alg))
    if isinstance(seed, int):
        words = [seed >> 64 * place & _MASK_64 for place in range(size)]
        return convert_to_tensor(np.array(words, np.uint64).view(np.int64))
    seed = reshape(_int64(seed), [-1])[:size]
    padding = np.zeros([size - seed.shape[0]], np.int64)
    return concat([padding, seed], 0)


_global_generator = None


def get_global_generator():
    """The global generator; made with an unpredictable state if none was set. TF: the same name."""
    global _global_generator
    if _global_generator is None:
        with engine.eager_scope():
            _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator):
    """Replaces the global generator. TF: `tf.random.set_global_generator`."""
    global _global_generator
    _global_generator = generator


def _state_size(alg):
    size = _STATE_SIZES.get(alg)
    if size is None:
        raise ValueError(unsupported_algorithm(alg))
    return size


def _state_variable(state):
    return Variable(state, dtype=dtypes.int64, trainable=False, name="StateVar")


def _int64(value):
    """Integers as an int64 tensor; those from 2**63 on wrap round."""
    if isinstance(value, int) or isinstance(value, list | tuple) and all(isinstance(x, int) for x in value):
        words = np.array(value, object) & _MASK_64
        return convert_to_tensor(np.array(words, np.uint64).view(np.int64))
    value = convert_to_tensor(value)
    if value.dtype == dtypes.uint64:
        return bitcast(value, dtypes.int64)
    return cast(value, dtypes.int64)


def _state_of(counter, key):
    """Counter and key as one state tensor."""
    return concat([_int64(counter), reshape(_int64(key), [1])], 0)


def _state_of_key_counter(key, counter, alg):
    counter, key = _int64(counter), _int64(key)
    _check_compatible(counter.shape, [_state_size(alg) - 1])
    _check_compatible(key.shape, [])
    return _state_of(counter, key)


def _check_compatible(shape, expected):
    if tuple(shape) != tuple(expected):
        raise ValueError(f"Shapes {shape} and {expected} are incompatible")
