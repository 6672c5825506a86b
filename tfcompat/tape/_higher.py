"""Second and higher derivatives from one tape, without nesting: extensions, which TensorFlow lacks.

What a tape has recorded between sources and target is captured as one operation of shifts of the sources, each zero
where it was recorded; JAX differentiates that.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat import engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.tensor import Tensor, dtype_of, wrap
from tfcompat._core.variable import Variable
from tfcompat.engine._policy import TAPE
from tfcompat.errors import UnimplementedError
from tfcompat.tape import _jacobian, _reverse
from tfcompat.tape._nests import flat_tensors
from tfcompat.tape._taylor import taylor

_SHIFT = engine.Operation("AddV2", jnp.add, identity="AddV2")


class TakesHigherDerivatives:
    """The part of `GradientTape` that TensorFlow's lacks: second and higher derivatives without nesting."""

    _records: Any
    _watched: Any
    _nodes_of: Any
    _target_node: Any
    _begin_use: Any
    _end_use: Any
    _differentiating: Any

    def hessian(self, target, sources, chunk_size=None):
        """Second derivatives of a scalar, forward over reverse.

        Args:
          target: scalar Tensor of a floating dtype.
          sources: Tensor or Variable, or a nest of them.
          chunk_size: how many rows to compute at once, to save memory; by default all.

        Returns:
          For one source, a Tensor of shape source.shape + source.shape. For a nest, a nest like `sources` of nests like
          `sources`: entry [i][j] has shape sources[i].shape + sources[j].shape. None for sources without a path to the
          target; zeros where the path is linear.

        Raises:
          RuntimeError: second use of a non-persistent tape.
          ValueError: `target` is no floating scalar, or `chunk_size` is below 1.
          LookupError: an op on the path has no gradient.
          UnimplementedError: complex sources, or a custom gradient on the path; nest tapes there.

        TF: TensorFlow lacks this; `outer.jacobian(inner.gradient(target, sources), sources)` on nested tapes.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(x**3)
        >>> tape.hessian(y, x)
        <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
        array([[ 6.,  0.],
               [ 0., 12.]], dtype=float32)>
        """
        _check_chunk_size("hessian", chunk_size)
        with _Use(self, "hessian", _scalar("hessian", target), sources) as use:
            if use.operation is not None:
                avals = use.avals
                blocks = use.apply(_hessian(use.operation, avals, chunk_size), ())
                rows = iter([blocks[i : i + len(avals)] for i in range(0, len(blocks), len(avals))])
                blocks = [use.filled(next(rows)) if there else None for there in use.connected]
            else:
                blocks = [None] * len(use.flat)
        if use.single:
            return None if blocks[0] is None else blocks[0][0]
        empty = [None] * len(use.flat)
        return nest.pack_sequence_as(
            sources, [nest.pack_sequence_as(sources, empty if row is None else row) for row in blocks]
        )

    def hvp(self, target, sources, vectors):
        """The product of the Hessian of a scalar with a vector, forward over reverse; the Hessian is not made.

        Args:
          target: scalar Tensor of a floating dtype.
          sources: Tensor or Variable, or a nest of them.
          vectors: nest like `sources`, of their shapes and dtypes.

        Returns:
          Nest like `sources` of tensors of their shapes and dtypes; None for sources without a path to the target.

        Raises:
          As for `hessian`; ValueError also where `vectors` do not fit.

        TF: TensorFlow lacks this; a tape inside a ForwardAccumulator, or a gradient of a gradient times a vector.
        """
        with _Use(self, "hvp", _scalar("hvp", target), sources) as use:
            moving = use.vectors(vectors)
            products = [] if use.operation is None else use.apply(_product(use.operation, use.avals), moving)
            results = use.filled(products)
        return use.packed(results)

    def gauss_newton_product(self, outputs, sources, vectors, loss=None):
        """The product of the generalized Gauss-Newton matrix J' H J with a vector.

        J is the Jacobian of `outputs` with respect to `sources`, H the Hessian of `loss` with respect to `outputs`. For
        a convex loss of the outputs the matrix is positive semidefinite, unlike the Hessian.

        Args:
          outputs: Tensor or a nest of tensors, such as a model's predictions.
          sources: Tensor or Variable, or a nest of them.
          vectors: nest like `sources`, of their shapes and dtypes.
          loss: scalar Tensor computed from `outputs` under the tape; None for half the sum of squares (H is one).

        Returns:
          Nest like `sources` of tensors of their shapes and dtypes; None for sources without a path to `outputs`.

        Raises:
          As for `hvp`; ValueError also where `loss` was not computed from `outputs` under the tape.

        TF: TensorFlow lacks this.
        """
        flat = [_floating("gauss_newton_product", x) for x in nest.flatten(outputs)]
        target = None if loss is None else _scalar("gauss_newton_product", loss)
        with _Use(self, "gauss_newton_product", flat, sources) as use:
            moving = use.vectors(vectors)
            curvature, captures = None, []
            if target is not None:
                starts = [[node] if node in self._watched else [] for node in flat]
                avals = [node.aval for node in flat]
                curvature, captures, known = _function(self._records, [target], starts, avals, "gauss_newton_product")
                if curvature is None or not all(known):
                    raise ValueError(
                        "tape.gauss_newton_product: `loss` must be computed from all of `outputs` under this tape, by "
                        "operations with a gradient"
                    )
            products = []
            if use.operation is not None:
                output_avals = tuple(node.aval for node in flat)
                operation = _gauss_newton(use.operation, curvature, use.avals, output_avals, len(use.captures))
                products = use.apply(operation, moving, captures)
            results = use.filled(products)
        return use.packed(results)

    def directional_derivatives(self, target, sources, directions, order):
        """Derivatives of `target` along a line through the sources, to a high order: Taylor mode.

        Args:
          target: Tensor of a floating dtype.
          sources: Tensor or Variable, or a nest of them.
          directions: nest like `sources`, of their shapes and dtypes.
          order: int from 1 to 10.

        Returns:
          list of `order` tensors of the target's shape and dtype: entry k - 1 is the k-th derivative with respect to t,
          at t = 0, of `target` where the sources are moved by t times the directions. Zeros where there is no path.

        Raises:
          As for `hvp`; ValueError also where `order` is out of range.

        The cost grows with the square of the order, not exponentially as with nested tapes; where JAX's Taylor mode has
        no rule for an operation, forward mode is nested for that one.
        TF: TensorFlow lacks this; `order` nested tapes or accumulators.
        """
        highest = TAPE.taylor_order
        if type(order) is not int or not 1 <= order <= highest:
            raise ValueError(f"tape.directional_derivatives: order must be an int from 1 to {highest}, got {order!r}")
        node = _floating("directional_derivatives", target)
        with _Use(self, "directional_derivatives", [node], sources) as use:
            moving = use.vectors(directions)
            if use.operation is None:
                return [wrap(_reverse.zeros_like(node)) for _ in range(order)]
            return [wrap(n) for n in use.apply(_taylor(use.operation, use.avals, order), moving)]

    def chunked_jacobian(self, target, sources, chunk_size):
        """As `jacobian`, some rows at a time, for jacobians whose computation does not fit the memory.

        Args:
          target: Tensor to be differentiated.
          sources: Tensor or Variable, or a nest of them.
          chunk_size: how many rows (elements of `target`) to compute at once, 1 or more.

        Returns:
          Nest like `sources` of tensors of shape target.shape + source.shape, or None.

        Raises:
          RuntimeError: second use of a non-persistent tape.
          ValueError: `chunk_size` is below 1.

        TF: TensorFlow lacks this; `jacobian(..., parallel_iterations=chunk_size)` on a persistent tape.
        """
        _check_chunk_size("chunked_jacobian", chunk_size)
        self._begin_use()
        flat = flat_tensors(sources, "sources")
        node = self._target_node(target)
        rows = [None] * len(flat)
        if node.aval.inexact:
            with self._differentiating():
                rows = _jacobian.jacobian(self._records, node, [self._nodes_of(s) for s in flat], chunk_size)
        self._end_use()
        return nest.pack_sequence_as(sources, [None if row is None else wrap(row) for row in rows])


# --- what was recorded, as a function of the sources ----------------------------------------------------------------


class _Use:
    """One use of a tape: the targets as an operation of shifts of the connected sources."""

    def __init__(self, tape, method, targets, sources):
        self.tape, self.method, self.sources = tape, method, sources
        self.single = isinstance(sources, Tensor | Variable)
        tape._begin_use()
        self.flat = flat_tensors(sources, "sources")
        self._source_nodes: Any = [s._current_node() if isinstance(s, Variable) else s._node for s in self.flat]
        for node in self._source_nodes:
            if node.aval.dtype.kind == "c":
                raise UnimplementedError(
                    None, None, f"tape.{method} of complex sources is not available in tfcompat; nest tapes"
                )
        nodes = [tape._nodes_of(source) for source in self.flat]
        avals = [node.aval for node in self._source_nodes]
        self._differentiating = tape._differentiating()
        self._differentiating.__enter__()
        try:
            self.operation, self.captures, self.connected = _function(tape._records, targets, nodes, avals, method)
        except BaseException:
            self._differentiating.__exit__(None, None, None)
            raise
        self.avals = tuple([aval for aval, there in zip(avals, self.connected, strict=True) if there])

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self._differentiating.__exit__(kind, value, traceback)
        if kind is None:
            self.tape._end_use()

    def apply(self, operation, first, last=()):
        """The nodes of an operation of (first..., captures..., last...)."""
        results = engine.apply(operation, (*first, *self.captures, *last))
        return results if type(results) is tuple else (results,)

    def vectors(self, vectors):
        """The nodes of the given vectors that belong to connected sources."""
        flat: Any = [vectors] if self.single else nest.flatten(vectors)
        if len(flat) != len(self.flat):
            raise ValueError(f"tape.{self.method}: {len(self.flat)} vectors are needed, one a source, got {len(flat)}")
        nodes = []
        for vector, source, there in zip(flat, self._source_nodes, self.connected, strict=True):
            node = to_node(vector, hint=dtype_of(source))
            if node.aval.shape != source.aval.shape or node.aval.dtype != source.aval.dtype:
                raise ValueError(
                    f"tape.{self.method}: a vector must have the shape and dtype of its source, {source.aval}, got "
                    f"{node.aval}"
                )
            if there:
                nodes.append(node)
        return nodes

    def filled(self, results):
        """A tensor for each source, None for those that are not connected."""
        results = iter(results)
        return [wrap(next(results)) if there else None for there in self.connected]

    def packed(self, results):
        return results[0] if self.single else nest.pack_sequence_as(self.sources, results)


def _function(records, targets, sources, avals, method):
    """What was recorded from `sources` (lists of nodes) to `targets` (nodes), as an operation of their shifts.

    Returns:
      (operation, captures, connected): the operation takes a shift, of the aval in `avals`, for each source that is
      connected to a target, then the values of `captures`, and returns the targets. It is None if no source is.
    """
    connected = []
    for nodes in sources:
        _, reached = _reverse.leading(records, set(nodes)) if nodes else ((), ())
        connected.append(any(target in reached for target in targets))
    owner = {}
    with engine.Capture() as capture:
        for nodes, aval, there in zip(sources, avals, connected, strict=True):
            if there:
                shift = capture.placeholder(aval)
                owner.update({node: shift for node in nodes})
        moved = {node: engine.record(_SHIFT.bind(engine.attributes_of(), (node.aval, shift.aval)), (node, shift))
                 for node, shift in owner.items()}  # fmt: skip
        starts = set(moved)
        for call, inputs, outputs in _needed(records, targets, starts):
            if starts.isdisjoint(inputs):
                continue
            if type(call) is not engine.Call or call.operation.name in _reverse.REGISTERED:
                raise UnimplementedError(
                    None, None,
                    f"tape.{method} through a gradient given by Python code (tf.custom_gradient, tf.RegisterGradient) "
                    "is not available in tfcompat; nest tapes",
                )  # fmt: skip
            result = engine.record(call, tuple([moved.get(node, node) for node in inputs]))
            for old, new in zip(outputs, result if type(result) is tuple else (result,), strict=True):
                if old in owner:  # a source that was computed from another
                    new = engine.apply(_SHIFT, (new, owner[old]))
                moved[old] = new
                starts.add(old)
        results = [moved.get(node, node) for node in targets]
    if not any(connected):
        return None, [], connected
    operation, captures = capture.operation(results, "Replay")
    return operation, captures, connected


def _needed(records, targets, starts):
    """The records that the targets are computed from, in order."""
    needed, path = set(targets), []
    for entry in reversed(records):
        _, inputs, outputs = entry
        if not needed.isdisjoint(outputs):
            path.append(entry)
            needed.update(inputs)
    return path[::-1]


def _scalar(method, target):
    node = _floating(method, target)
    if node.aval.shape != ():
        raise ValueError(f"tape.{method}: the target must be a scalar, got shape {list(node.aval.shape)}; sum it")
    return [node] if method != "gauss_newton_product" else node


def _floating(method, target):
    node = to_node(target)
    if not node.aval.inexact or node.aval.dtype.kind == "c":
        raise ValueError(f"tape.{method}: the target must be floating, got {dtype_of(node).name}")
    return node


def _check_chunk_size(method, chunk_size):
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise ValueError(f"tape.{method}: chunk_size must be an int of 1 or more, got {chunk_size!r}")


# --- the derivatives ------------------------------------------------------------------------------------------------


def _zeros(avals):
    return tuple([jnp.zeros(aval.shape, aval.dtype) for aval in avals])


def _operation(name, function):
    return engine.Operation(name, function, composed=True)


@engine.made_once
def _product(replay, avals):
    """(vectors..., captures...) -> Hessian-vector products."""

    def product(*arrays):
        vectors, captures = arrays[: len(avals)], arrays[len(avals) :]
        return _hvp(replay, captures, avals)(vectors)

    return _operation("HessianVectorProduct", product)


def _hvp(replay, captures, avals):
    gradient = jax.grad(lambda shifts: replay.fn(*shifts, *captures)[0])
    return lambda vectors: jax.jvp(gradient, (_zeros(avals),), (tuple(vectors),))[1]


@engine.made_once
def _hessian(replay, avals, chunk_size):
    """(captures...) -> the blocks of the Hessian, row by row."""

    def hessian(*captures):
        product, blocks = _hvp(replay, captures, avals), []
        for i, aval in enumerate(avals):
            size = math.prod(aval.shape)

            def row(vector, i=i):
                return product([vector if j == i else zero for j, zero in enumerate(_zeros(avals))])

            basis = jnp.eye(size, dtype=aval.dtype).reshape(size, *aval.shape)
            blocks += [b.reshape(*aval.shape, *b.shape[1:]) for b in _jacobian.map_rows(row, basis, chunk_size)]
        return tuple(blocks)

    return _operation("Hessian", hessian)


@engine.made_once
def _gauss_newton(replay, curvature, avals, output_avals, count):
    """(vectors..., captures of the outputs..., captures of the loss...) -> Gauss-Newton products."""

    def product(*arrays):
        vectors, rest = arrays[: len(avals)], arrays[len(avals) :]
        captures, of_loss = rest[:count], rest[count:]

        def outputs(*shifts):
            return replay.fn(*shifts, *captures)

        _, moved = jax.jvp(outputs, _zeros(avals), vectors)
        if curvature is not None:
            moved = _hvp(curvature, of_loss, output_avals)(moved)
        _, pull_back = jax.vjp(outputs, *_zeros(avals))
        return pull_back(tuple(moved))

    return _operation("GaussNewtonProduct", product)


@engine.made_once
def _taylor(replay, avals, order):
    """(directions..., captures...) -> derivatives of order 1 to `order` along the directions."""

    def derivatives(*arrays):
        directions, captures = arrays[: len(avals)], arrays[len(avals) :]

        def target(*shifts):
            return replay.fn(*shifts, *captures)[0]

        ((_, series),) = taylor(target, _zeros(avals), [[v, *[jnp.zeros_like(v)] * (order - 1)] for v in directions])
        return tuple(series)

    return _operation("TaylorDerivatives", derivatives)
