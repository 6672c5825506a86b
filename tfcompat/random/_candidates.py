"""Candidate samplers: classes drawn for losses over very many classes, and how often each is to be expected.

A sampler draws one number after another from its stream, and with `unique=True` rejects what it has drawn before, so
the work is a loop. Sources of the facts: `range_sampler.cc`, `candidate_sampler_ops.cc`, `simple_philox.cc`,
`distribution_sampler.cc` of TF 2.21.
"""

import collections

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.tensor import wrap
from tfcompat.array import ones, shape
from tfcompat.array import range as range_
from tfcompat.array._arguments import as_input
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, NotFoundError
from tfcompat.random import _philox
from tfcompat.random._arguments import invalid, known_now, record, show
from tfcompat.random._philox_host import philox_words
from tfcompat.random._seed import get_seed, memory, next_state

_BLOCKS_PER_SAMPLE = 512  # what TF reserves

UniformCandidateSampler = collections.namedtuple(
    "UniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LogUniformCandidateSampler = collections.namedtuple(
    "LogUniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LearnedUnigramCandidateSampler = collections.namedtuple(
    "LearnedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
FixedUnigramCandidateSampler = collections.namedtuple(
    "FixedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
AllCandidateSampler = collections.namedtuple(
    "AllCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
ComputeAccidentalHits = collections.namedtuple("ComputeAccidentalHits", ["indices", "ids", "weights"])


# One try at a sample: a function of the next three words of the stream and of what an unfinished try has kept, to the
# class, how many words that took, whether it is one, and what is kept. `xp` is jax.numpy, or numpy on the host. -------


def _below(xp, number, limit, size):
    """`number` below `limit`, and whether it is unbiased: what lies above the last multiple is drawn again."""
    last = xp.asarray(np.iinfo(size).max, size)
    limit = xp.asarray(limit).astype(size)
    one = xp.asarray(1, size)
    return number % limit, (number <= last - (last % limit + one)) | (limit & (limit - one) == 0)


def _long(xp, words):
    return words[0].astype(np.uint64) | words[1].astype(np.uint64) << xp.asarray(32, np.uint64)


def _uniform(xp, words, spare, *, range_max):
    value, fine = _below(xp, _long(xp, words), range_max, np.uint64)
    return value, 2, fine, spare


def _log_uniform(xp, words, spare, *, range_max):
    upper = words[0].astype(np.uint64) & xp.asarray(0xFFFFF, np.uint64) | xp.asarray(0x3FF00000, np.uint64)
    bits = upper << xp.asarray(32, np.uint64) | words[1].astype(np.uint64)
    share = (lax.bitcast_convert_type(bits, np.float64) if xp is jnp else bits.view(np.float64)) - 1
    value = xp.exp(share * np.log1p(np.float64(range_max))).astype(np.int64) - 1
    return value % range_max, 2, xp.asarray(True), spare


def _by_weight(xp, words, spare, cumulated, *, range_max):
    value, fine = _below(xp, words[0], cumulated[-1], np.uint32)
    return xp.searchsorted(cumulated, value.astype(cumulated.dtype), side="right"), 1, fine, spare


def _by_alias(xp, words, spare, shares, others, *, range_max):
    """Draws by the alias method: each place of the table holds a class, its share, and another class for the rest."""
    word, bits = xp.where(spare[0], spare[1], words[0]), xp.where(spare[0], words[0], words[1])
    mantissa = word & xp.asarray(0x7FFFFF, np.uint32) | xp.asarray(0x3F800000, np.uint32)
    share = (lax.bitcast_convert_type(mantissa, np.float32) if xp is jnp else mantissa.view(np.float32)) - np.float32(1)
    bucket, fine = _below(xp, bits, shares.shape[0], np.uint32)
    bucket = bucket.astype(np.int64)
    value = xp.where(share < shares[bucket], bucket, others[bucket])
    return value, 2 - spare[0], fine, (~fine, word)


def _on_device(state, *tables, attempt, count, unique, range_max):
    """`count` numbers, and how many were drawn for them."""

    def turn(carry):
        place, picked, tries, spare, ids, used = carry
        block = jnp.stack(_philox.block(state, place + np.arange(3) >> 2), 1)
        words = block[np.arange(3), place + np.arange(3) & 3]
        value, taken, fine, spare = attempt(jnp, words, spare, *tables, range_max=range_max)
        value = value.astype(np.int64)
        fresh = fine & ~used[value] if unique else fine
        ids = ids.at[picked].set(jnp.where(fresh, value, ids[picked]))
        used = used.at[value].set(used[value] | fresh) if unique else used
        return place + taken, picked + fresh.astype(np.int64), tries + fine.astype(np.int32), spare, ids, used

    start = (jnp.int64(0), jnp.int64(0), jnp.int32(0), (jnp.bool_(False), jnp.uint32(0)), jnp.zeros(count, np.int64),
             jnp.zeros(range_max if unique else 0, bool))  # fmt: skip
    _, _, tries, _, ids, _ = lax.while_loop(lambda carry: carry[1] < count, turn, start)
    return ids, tries


def _on_host(state, *tables, attempt, count, unique, range_max):
    """The same in NumPy: no program to compile."""
    low, high, key = (int(word) & 2**64 - 1 for word in state)
    words = np.zeros(0, np.uint32)
    place, tries, spare = 0, 0, (np.bool_(False), np.uint32(0))
    ids, used = [], set()
    while len(ids) < count:
        if place + 3 > len(words):
            words = philox_words(key, high << 64 | low, 2 * len(words) + 4 * count + 64)
        value, taken, fine, spare = attempt(np, words[place : place + 3], spare, *tables, range_max=range_max)
        place += int(taken)
        if fine:
            tries += 1
            if not unique or int(value) not in used:
                used.add(int(value))
                ids.append(int(value))
    return np.array(ids, np.int64), np.int32(tries)


# Operations -------------------------------------------------------------------------------------------------------


def _uniform_share(ids, *, range_max):
    return jnp.full(ids.shape, np.float32(1) / np.float32(range_max))


def _log_uniform_share(ids, *, range_max):
    return (jnp.log((ids + 2.0) / (ids + 1.0)) / np.log1p(np.float64(range_max))).astype(np.float32)


def _weight_share(ids, cumulated, *, range_max):
    before = jnp.where(ids > 0, cumulated[ids - 1], 0)
    return (cumulated[ids] - before).astype(np.float32) / cumulated[-1].astype(np.float32)


def _table_share(ids, parts, *, range_max):
    known = (ids >= 0) & (ids < range_max)
    return jnp.where(known, parts[jnp.clip(ids, 0, range_max - 1)], np.float32(0))


def _expected(tries, ids, true, *tables, share, count, range_max):
    """How often each class is to be expected among the samples; float32 as in TF."""

    def counts(classes):
        part = share(classes, *tables, range_max=range_max)
        often = -jnp.expm1(tries.astype(np.float32) * jnp.log1p(-part))
        return jnp.where(tries == count, part * np.float32(count), often)

    return counts(true), counts(ids)


def _counted(weights, true):
    return weights.at[true.reshape(-1)].add(np.int32(1))


_SAMPLES = engine.Operation(
    "CandidateSampler", _on_device, ("attempt", "count", "unique", "range_max"), differentiable=False
)
_EXPECTED = engine.Operation(
    "CandidateSamplerCounts", _expected, ("share", "count", "range_max"), differentiable=False
)
_COUNTED = engine.Operation("CandidateSamplerWeights", _counted, differentiable=False)
_CUMULATED = engine.Operation("CandidateSamplerTable", jnp.cumsum, differentiable=False)


def _drawn(state, true, attempt, tables, share, shares, count, unique, range_max):
    """What the samplers return."""
    host = [known_now(wrap(node)) if not isinstance(node, np.ndarray) else node for node in (state, *tables)]
    if function_trace(engine.state.graph) is None and all(value is not None for value in host):
        ids, tries = map(host_constant, _on_host(*host, attempt=attempt, count=count, unique=unique,
                                                 range_max=range_max))  # fmt: skip
    else:
        tables = [host_constant(table) if isinstance(table, np.ndarray) else wrap(table) for table in tables]
        ids, tries = record(_SAMPLES, (state, *tables), attempt, count, unique, range_max)
    shares = [host_constant(table) if isinstance(table, np.ndarray) else wrap(table) for table in shares]
    return ids, *record(_EXPECTED, (tries, ids, true, *shares), share, count, range_max)


# Public functions -------------------------------------------------------------------------------------------------


def _checked(kernel, true_classes, num_true, num_sampled, range_max, unique, enough=True):
    for name, number in (("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)):
        if number is not None and number < 1:
            raise InvalidArgumentError(
                None, None, f"Value for attr '{name}' of {number} must be at least minimum 1 [Op:{kernel}] name: "
            )
    true = as_input(true_classes, dtypes.int64, kernel, "true_classes")
    if true.ndim != 2:
        raise invalid("true_classes must be a matrix", kernel)
    if true.shape[1] != num_true:
        raise when_run(f"true_classes must have num_true columns, expected: {true.shape[1]} was: {num_true}")
    if unique and enough and num_sampled > range_max:
        raise when_run("Sampler's range is too small.")
    values = known_now(true) if enough else None
    if values is not None and ((values < 0) | (values >= range_max)).any():
        wrong = values[(values < 0) | (values >= range_max)][0]
        raise invalid(f"`true_candidate` out of range [0, {range_max}), received {wrong}", kernel)
    return true


def _sampled(kernel, attempt, share, true_classes, num_true, num_sampled, unique, range_max, seed, tables=(), shares=(),
             kernel_key=()):  # fmt: skip
    num_true, num_sampled, range_max = (int(static_value(n)) for n in (num_true, num_sampled, range_max))
    unique = bool(unique)
    seeds = get_seed(seed)
    true = _checked(kernel, true_classes, num_true, num_sampled, range_max, unique)
    key = (num_true, num_sampled, unique, range_max, *kernel_key)
    state = next_state(kernel, seeds, num_sampled * _BLOCKS_PER_SAMPLE, *key)
    return _drawn(state, true, attempt, tables, share, shares, num_sampled, unique, range_max)


@takes_composites("tf.random.uniform_candidate_sampler")
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes, each as likely as the other.

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`, the classes that examples have.
      num_true: int, how many each example has.
      num_sampled: int, how many to draw.
      unique: whether the drawn ones are all different.
      range_max: int, classes are 0 to `range_max - 1`.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`: int64 `[num_sampled]`, float32
      `[batch, num_true]` and float32 `[num_sampled]`: the drawn classes, and how often each class is to be expected
      among as many.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; fewer classes than unique samples; a class out of range
        (not raised where it is still to be computed).

    Gradient: none.
    TF: `tf.random.uniform_candidate_sampler`; the same classes.
    """
    return UniformCandidateSampler(*_sampled(
        "UniformCandidateSampler", _uniform, _uniform_share, true_classes, num_true, num_sampled, unique, range_max,
        seed,
    ))  # fmt: skip


@takes_composites("tf.random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes, small numbers more often: class c with probability log((c + 2) / (c + 1)) / log(range_max + 1).

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`, the classes that examples have.
      num_true: int, how many each example has.
      num_sampled: int, how many to draw.
      unique: whether the drawn ones are all different.
      range_max: int, classes are 0 to `range_max - 1`.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`, as `uniform_candidate_sampler`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; fewer classes than unique samples; a class out of range
        (not raised where it is still to be computed).

    Gradient: none.
    TF: `tf.random.log_uniform_candidate_sampler`; the same classes.
    """
    return LogUniformCandidateSampler(*_sampled(
        "LogUniformCandidateSampler", _log_uniform, _log_uniform_share, true_classes, num_true, num_sampled, unique,
        range_max, seed,
    ))  # fmt: skip


@takes_composites("tf.random.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes as often as they were seen: each counts one more than it was among `true_classes` so far.

    Calls with the same arguments and seeds go on counting; `tf.random.set_seed` starts again.

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`, the classes that examples have.
      num_true: int, how many each example has.
      num_sampled: int, how many to draw.
      unique: whether the drawn ones are all different.
      range_max: int, classes are 0 to `range_max - 1`.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`, as `uniform_candidate_sampler`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; fewer classes than unique samples; a class out of range
        (not raised where it is still to be computed).

    Gradient: none.
    TF: `tf.random.learned_unigram_candidate_sampler`; the same classes.
    """
    kernel = "LearnedUnigramCandidateSampler"
    num_true, num_sampled, range_max = (int(static_value(n)) for n in (num_true, num_sampled, range_max))
    unique = bool(unique)
    seeds = get_seed(seed)
    true = _checked(kernel, true_classes, num_true, num_sampled, range_max, unique)
    key = (num_true, num_sampled, unique, range_max)
    state = next_state(kernel, seeds, num_sampled * _BLOCKS_PER_SAMPLE, *key)
    weights, keep = memory(kernel, seeds, np.ones(range_max, np.int32), *key)
    known = known_now(wrap(weights)) if function_trace(engine.state.graph) is None else None
    if known is not None and known_now(true) is not None:
        table = np.cumsum(known, dtype=np.int32)
        seen = np.bincount(known_now(true).reshape(-1), minlength=range_max).astype(np.int32)
        keep(host_constant(known + seen))
    else:
        table = record(_CUMULATED, (weights,))._node
        keep(record(_COUNTED, (weights, true)))
    return LearnedUnigramCandidateSampler(
        *_drawn(state, true, _by_weight, [table], _weight_share, [table], num_sampled, unique, range_max)
    )


@takes_composites("tf.random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file="",
                                    distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=(),
                                    seed=None, name=None):  # fmt: skip
    """Draws classes with given weights.

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`, the classes that examples have.
      num_true: int, how many each example has.
      num_sampled: int, how many to draw.
      unique: whether the drawn ones are all different.
      range_max: int, classes are 0 to `range_max - 1`.
      vocab_file: path of a text file with a line for each class, the weight behind its last comma; or "".
      distortion: weights are raised to this power.
      num_reserved_ids: how many classes come first, with a weight of zero.
      num_shards: how many samplers share the classes, one after the other.
      shard: which of them this is.
      unigrams: weights of the classes, if there is no `vocab_file`.
      seed: int; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`, as `uniform_candidate_sampler`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; fewer classes than unique samples; not `range_max`
        weights; both or none of `vocab_file` and `unigrams`.

    Gradient: none.
    TF: `tf.random.fixed_unigram_candidate_sampler`; the same classes.
    """
    kernel = "FixedUnigramCandidateSampler"
    class_counts = tuple(map(float, static_value(unigrams) if not isinstance(unigrams, tuple) else unigrams))
    vocab_file = vocab_file.decode() if isinstance(vocab_file, bytes) else vocab_file
    if bool(vocab_file) == bool(class_counts):
        number = "only provide one of vocab_file and" if class_counts else "provide either vocab_file or"
        raise invalid(f"Must {number} unigrams.", kernel)
    if not 0 <= shard < num_shards:
        raise invalid(f"shard must be >= 0 and < num_shards, got {shard} of {num_shards}", kernel)
    weights = _weights(vocab_file, class_counts, distortion, num_reserved_ids, num_shards, shard)
    if len(weights) != int(static_value(range_max)):
        raise invalid(f"range is {int(static_value(range_max))} must be equal to weights size  {len(weights)}", kernel)
    shares, others = _alias_table(weights)
    parts = (weights / np.float32(weights.astype(np.float64).sum())).astype(np.float32)
    return FixedUnigramCandidateSampler(*_sampled(
        kernel, _by_alias, _table_share, true_classes, num_true, num_sampled, unique, range_max, seed, (shares, others),
        (parts,), (vocab_file, distortion, num_reserved_ids, num_shards, shard, class_counts),
    ))  # fmt: skip


def _weights(vocab_file, unigrams, distortion, reserved, shards, shard):
    if vocab_file:
        try:
            with open(vocab_file, encoding="utf-8") as lines:
                unigrams = [float(line.rpartition(",")[2]) for line in lines if line.strip()]
        except FileNotFoundError:
            raise NotFoundError(None, None, f"{vocab_file}; No such file or directory") from None
    ours = [0.0 for n in np.arange(reserved) if n % shards == shard]
    first = len(ours)
    ours += [w**distortion for n, w in enumerate(unigrams) if (n + first) % shards == shard]
    return np.array(ours, np.float32)


def _alias_table(weights):
    """For each place its own share, and the class that has the rest. TF: `DistributionSampler`."""
    count = len(weights)
    shares = weights.astype(np.float64) * count / weights.astype(np.float64).sum()
    others = np.full(count, -1, np.int64)
    low = [n for n in np.arange(count).tolist() if shares[n] < 1]
    high = [n for n in np.arange(count).tolist() if shares[n] >= 1]
    while high and low:
        small, large = low.pop(), high.pop()
        others[small] = large
        shares[large] -= 1 - shares[small]
        (low if shares[large] < 1 else high).append(large)
    result = shares.astype(np.float32)
    result[low + high] = 1
    return result, others


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes, for tests of losses that take samples.

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`, the classes that examples have.
      num_true: int, how many each example has.
      num_sampled: int, the number of classes.
      unique: ignored, as in TF.
      seed: int; takes its turn of the seeds, see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`, as `uniform_candidate_sampler`; all
      classes, and ones.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    Gradient: none.
    TF: `tf.random.all_candidate_sampler`; no known difference.
    """
    get_seed(seed)
    count = int(static_value(num_sampled))
    true = _checked("AllCandidateSampler", true_classes, int(static_value(num_true)), count, None, unique, False)
    return AllCandidateSampler(range_(count, dtype=dtypes.int64), ones(shape(true)), ones([count]))


@takes_composites("tf.nn.compute_accidental_hits")
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Where drawn classes are those of the examples.

    Args:
      true_classes: int64 tensor of shape `[batch, num_true]`.
      sampled_candidates: int64 vector, the drawn classes.
      num_true: int, the columns of `true_classes`.
      seed: int; takes its turn of the seeds, see `tf.random.set_seed`.
      name: ignored.

    Returns:
      `(indices, ids, weights)`: int32, int64 and float32 vectors: the example, the place among the drawn ones, and
      the lowest float32 number, which added to a logit makes it count for nothing.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.nn.compute_accidental_hits`; no known difference.
    """
    get_seed(seed)
    kernel = "ComputeAccidentalHits"
    true = as_input(true_classes, dtypes.int64, kernel, "true_classes")
    drawn = as_input(sampled_candidates, dtypes.int64, kernel, "sampled_candidates")
    if true.ndim != 2 or true.shape[1] != num_true:
        raise invalid(f"true_candidates must be a batch_size * num_true matrix, got {show(true.shape)}", kernel)
    if drawn.ndim != 1:
        raise invalid("sampled_candidates must be a vector, which is typically an output from CandidateSampler", kernel)
    places = {int(value): n for n, value in enumerate(known_values(drawn, "call it outside"))}
    rows, columns = [], []
    for row, classes in enumerate(known_values(true, "call it outside")):
        for one in classes:
            if int(one) in places:
                rows.append(row)
                columns.append(places[int(one)])
    lowest = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return ComputeAccidentalHits(
        host_constant(np.array(rows, np.int32)), host_constant(np.array(columns, np.int64)), convert_to_tensor(lowest)
    )
