"""`tf.experimental.numpy`: arrays from nothing, and functions whose arguments do not fit the table."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.tensor import Tensor
from tfcompat.array import gather, reshape
from tfcompat.array import meshgrid as grid
from tfcompat.array import pad as padded
from tfcompat.array import range as range_of
from tfcompat.array import where as choose
from tfcompat.array._cast import cast
from tfcompat.errors import UnimplementedError
from tfcompat.experimental.numpy._functions import FUNCTIONS, _for_promotion, as_array, as_dtype, promoted, shortened
from tfcompat.linalg import einsum as summed


def _made(array, dtype=None):
    return convert_to_tensor(array if dtype is None else array.astype(as_dtype(dtype).np))


def _steps(array, dtype):
    """Numbers computed from Python's, of the preferred width by default."""
    return _made(shortened(array)) if dtype is None else _made(array, dtype)


def array(val, dtype=None, copy=True, ndmin=0):
    """A tensor; of Python's numbers int64, float64 or complex128. TF: `tf.experimental.numpy.array`."""
    result = as_array(val, dtype)
    for _ in range(ndmin - len(result.shape)):
        result = FUNCTIONS["expand_dims"](result, 0)
    return result


def asarray(a, dtype=None):
    """A tensor; `a` itself if it is one of that dtype. TF: `tf.experimental.numpy.asarray`."""
    if isinstance(a, Tensor) and dtype in (None, a.dtype):
        return a
    return array(a, dtype, copy=False)


asanyarray = ascontiguousarray = asarray


def copy(a):
    """The same tensor. TF: `tf.experimental.numpy.copy`."""
    return array(a, copy=True)


def zeros(shape, dtype=float):
    """Zeros, float64 by default. TF: `tf.experimental.numpy.zeros`."""
    return _made(np.zeros(static_value(shape)), dtype)


def ones(shape, dtype=float):
    """Ones, float64 by default. TF: `tf.experimental.numpy.ones`."""
    return _made(np.ones(static_value(shape)), dtype)


empty = zeros


def full(shape, fill_value, dtype=None):
    """One value everywhere. TF: `tf.experimental.numpy.full`."""
    return FUNCTIONS["broadcast_to"](array(fill_value, dtype), static_value(shape))


def _like(function, a, dtype):
    a = as_array(a)
    return function(a.shape.as_list(), a.dtype if dtype is None else dtype)


def zeros_like(a, dtype=None):
    """Zeros of the shape and dtype of `a`. TF: `tf.experimental.numpy.zeros_like`."""
    return _like(zeros, a, dtype)


def ones_like(a, dtype=None):
    """Ones of the shape and dtype of `a`. TF: `tf.experimental.numpy.ones_like`."""
    return _like(ones, a, dtype)


def empty_like(prototype, dtype=None):
    """Zeros of the shape and dtype of `prototype`. TF: `tf.experimental.numpy.empty_like`."""
    return _like(zeros, prototype, dtype)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """One value everywhere, of the shape and dtype of `a`. TF: `tf.experimental.numpy.full_like`."""
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    if shape:
        raise ValueError("Overriding the shape is not supported.")
    a = as_array(a)
    return full(a.shape.as_list(), fill_value, a.dtype if dtype is None else dtype)


def eye(N, M=None, k=0, dtype=float):
    """Ones on a diagonal. TF: `tf.experimental.numpy.eye`."""
    return _made(np.eye(N, M, k), dtype)


def identity(n, dtype=float):
    """Identity matrix. TF: `tf.experimental.numpy.identity`."""
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones at and below a diagonal. TF: `tf.experimental.numpy.tri`."""
    return _made(np.tri(N, M, k), dtype)


def arange(start, stop=None, step=1, dtype=None):
    """Numbers at even steps. TF: `tf.experimental.numpy.arange`."""
    start, stop, step = (static_value(x) for x in (start, stop, step))
    if start is None:
        raise TypeError("tf.experimental.numpy.arange: start must be a number, not None")
    if not step:
        raise ValueError("step must be non-zero")
    return _steps(np.arange(start, stop, step) if stop is not None else np.arange(0, start, step), dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float, axis=0):
    """Numbers at even steps between two. TF: `tf.experimental.numpy.linspace`."""
    if dtype is float:
        ends = [dtypes.as_dtype(x.dtype) for x in (start, stop) if hasattr(x, "dtype")]
        if any(end.is_floating or end.is_complex for end in ends):
            dtype = result_type(start, stop)
        else:
            dtype = None
    result = np.linspace(static_value(start), static_value(stop), num, endpoint, retstep, axis=axis)
    return (_steps(result[0], dtype), _steps(np.asarray(result[1]), None)) if retstep else _steps(result, dtype)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers at even steps. TF: `tf.experimental.numpy.logspace`."""
    return _steps(np.logspace(static_value(start), static_value(stop), num, endpoint, base, axis=axis), dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers of even ratio between two. TF: `tf.experimental.numpy.geomspace`."""
    return _steps(np.geomspace(static_value(start), static_value(stop), num, endpoint, axis=axis), dtype)


def where(condition, x=None, y=None):
    """Elements of `x` or `y`, or the places of those that are true. TF: `tf.experimental.numpy.where`."""
    condition = cast(as_array(condition), dtypes.bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return choose(condition, *promoted([x, y]))


def nonzero(a):
    """The places of what is not zero, a vector an axis. TF: `tf.experimental.numpy.nonzero`."""
    a = as_array(a)
    if a.dtype == dtypes.string:
        a = cast(a, dtypes.bool)  # which raises
    values = known_values(a, "call it outside")
    return [_made(part) for part in np.nonzero(values if values.ndim else values.reshape(1))]


def compress(condition, a, axis=None):
    """The slices along an axis where a condition holds; what lies beyond the condition is left out.

    TF: `tf.experimental.numpy.compress`; inside `tf.function` the condition must be known.
    """
    chosen = known_values(as_array(condition), "call it outside").astype(bool)
    a = as_array(a)
    a = reshape(a, [-1]) if axis is None else a
    axis = 0 if axis is None else axis
    if chosen.shape[0] > a.shape[axis]:
        raise ValueError(f"Shapes ({a.shape[axis]},) and {chosen.shape} are incompatible")
    return gather(a, host_constant(np.flatnonzero(chosen)), axis=axis)


def diag_indices(n, ndim=2):
    """The places of the diagonal of an array with equal sizes. TF: `tf.experimental.numpy.diag_indices`."""
    if ndim < 0:
        raise ValueError(f"ndim argument to diag_indices must be nonnegative, got {ndim}")
    return (range_of(n),) * ndim


def ix_(*args):
    """Vectors shaped so that together they index a block. TF: `tf.experimental.numpy.ix_`."""
    result = []
    for number, arg in enumerate(args):
        values = known_values(as_array(arg), "call it outside")
        if values.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {number} of rank {values.ndim}")
        if values.dtype.kind not in "biu":
            raise ValueError(f"Only integer and bool dtypes are supported, got {values.dtype.name}")
        places = np.flatnonzero(values) if values.dtype == bool else values
        result.append(_made(places.reshape([-1 if axis == number else 1 for axis in np.arange(len(args))])))
    return result


def count_nonzero(a, axis=None):
    """How many elements are not zero. TF: `tf.experimental.numpy.count_nonzero`."""
    return FUNCTIONS["sum"](cast(cast(as_array(a), dtypes.bool), dtypes.int64), axis)


def average(a, axis=None, weights=None, returned=False):
    """Weighted mean. TF: `tf.experimental.numpy.average`."""
    if weights is None:
        result = FUNCTIONS["mean"](a, axis)
        total = FUNCTIONS["sum"](ones_like(a), axis)
    else:
        a, weights = promoted([a, weights])
        if len(weights.shape) != len(a.shape):
            if axis is None:
                raise ValueError("if axis is not given, weights must have the shape of a")
            rank = len(a.shape)
            weights = FUNCTIONS["reshape"](weights, [-1 if n == axis % rank else 1 for n in range(rank)])
            weights = FUNCTIONS["broadcast_to"](weights, a.shape.as_list())
        total = FUNCTIONS["sum"](weights, axis)
        result = FUNCTIONS["sum"](a * weights, axis) / total
    return (result, total) if returned else result


def clip(a, a_min, a_max):
    """Elements within bounds, one of which may be None. TF: `tf.experimental.numpy.clip`."""
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    result = as_array(a) if a_min is None else FUNCTIONS["maximum"](a, a_min)
    return result if a_max is None else FUNCTIONS["minimum"](result, a_max)


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds. TF: `tf.experimental.numpy.select`."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist and choicelist must have the same length, got {len(condlist)}, {len(choicelist)}")
    *choices, result = promoted([*choicelist, default])
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        result = where(condition, choice, result)
    return result


def einsum(subscripts, *operands, **kwargs):
    """Einstein's summation. TF: `tf.experimental.numpy.einsum`."""
    return summed(subscripts, *promoted(list(operands)), **{k: v for k, v in kwargs.items() if k == "optimize"})


def split(ary, indices_or_sections, axis=0):
    """Parts along an axis. TF: `tf.experimental.numpy.split`."""
    ary, places = as_array(ary), static_value(indices_or_sections)
    size = ary.shape[axis]
    if isinstance(places, int):
        if size % places:
            raise ValueError("array split does not result in an equal division")
        places = tuple([size // places * count for count in range(1, places)])
    keys = zip((0, *places), (*places, size), strict=True)
    rank = len(ary.shape)
    return [ary[(slice(None),) * (axis % rank) + (slice(begin, end),)] for begin, end in keys]


def hsplit(ary, indices_or_sections):
    """Parts along the second axis, of vectors the first. TF: `tf.experimental.numpy.hsplit`."""
    return split(ary, indices_or_sections, 1 if len(as_array(ary).shape) > 1 else 0)


def vsplit(ary, indices_or_sections):
    """Parts along the first axis. TF: `tf.experimental.numpy.vsplit`."""
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Parts along the third axis. TF: `tf.experimental.numpy.dsplit`."""
    return split(ary, indices_or_sections, 2)


def meshgrid(*xi, **kwargs):
    """Coordinates of a grid. TF: `tf.experimental.numpy.meshgrid`."""
    if not kwargs.pop("copy", True) or kwargs.pop("sparse", False):
        raise UnimplementedError(None, None, "copy=False and sparse=True are not supported; use the defaults")
    return list(grid(*[as_array(x) for x in xi], **kwargs))


def broadcast_arrays(*args, **kwargs):
    """Tensors of the common shape. TF: `tf.experimental.numpy.broadcast_arrays`."""
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    tensors = [as_array(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape.as_list() for x in tensors))
    return [FUNCTIONS["broadcast_to"](x, shape) for x in tensors]


def pad(array, pad_width, mode, **kwargs):
    """Adds elements at both ends of axes. TF: `tf.experimental.numpy.pad`."""
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    tensor = as_array(array)
    value = cast(as_array(kwargs.get("constant_values", 0)), tensor.dtype)
    return padded(tensor, pad_width, mode.upper(), value)


def _at_least(rank):
    def function(*arys):
        results = [_with_rank(as_array(a), rank) for a in arys]
        return results[0] if len(results) == 1 else results

    function.__name__ = f"atleast_{rank}d"
    function.__doc__ = f"Tensors of rank {rank} or more. TF: `tf.experimental.numpy.atleast_{rank}d`."
    return function


def _with_rank(x, rank):
    if rank == 3 and len(x.shape) in (1, 2):
        return x[None, :, None] if len(x.shape) == 1 else x[:, :, None]
    while len(x.shape) < rank:
        x = x[None]
    return x


atleast_1d, atleast_2d, atleast_3d = map(_at_least, (1, 2, 3))


def shape(a):
    """TensorShape. TF: `tf.experimental.numpy.shape`."""
    return as_array(a).shape


def ndim(a):
    """How many axes there are. TF: `tf.experimental.numpy.ndim`."""
    return len(as_array(a).shape)


def size(x, axis=None):
    """How many elements there are, or along an axis. TF: `tf.experimental.numpy.size`."""
    sizes = as_array(x).shape.as_list()
    return np.int64(np.prod(sizes) if axis is None else sizes[axis])


def isscalar(num):
    """Whether a number is none of an array. TF: `tf.experimental.numpy.isscalar`."""
    return np.isscalar(num) or isinstance(num, Tensor) and not len(num.shape)


def iscomplexobj(x):
    """Whether the dtype is complex. TF: `tf.experimental.numpy.iscomplexobj`."""
    return as_array(x).dtype.is_complex


def isrealobj(x):
    """Whether the dtype is not complex. TF: `tf.experimental.numpy.isrealobj`."""
    return not iscomplexobj(x)


def result_type(*arrays_and_dtypes):
    """The dtype that NumPy promotes all to. TF: `tf.experimental.numpy.result_type`."""
    dtypes_given = []
    for value in arrays_and_dtypes:
        if isinstance(value, Tensor | dtypes.DType):
            dtypes_given.append(value.np if isinstance(value, dtypes.DType) else value.dtype.np)
        else:
            dtypes_given.append(_for_promotion(value) if isinstance(value, list | tuple) else value)
    return dtypes.from_numpy(np.result_type(*dtypes_given))


def promote_types(type1, type2):
    """The dtype that NumPy promotes both to. TF: `tf.experimental.numpy.promote_types`."""
    return result_type(dtypes.as_dtype(type1), dtypes.as_dtype(type2))


def finfo(dtype):
    """Limits of a floating dtype. TF: `tf.experimental.numpy.finfo`."""
    return np.finfo(dtypes.as_dtype(dtype).np)


def iinfo(type):
    """Limits of an integer dtype. TF: `tf.experimental.numpy.iinfo`."""
    return np.iinfo(dtypes.as_dtype(type).np)


def issubdtype(arg1, arg2):
    """Whether a dtype is of a kind. TF: `tf.experimental.numpy.issubdtype`."""
    return np.issubdtype(arg1.np if isinstance(arg1, dtypes.DType) else arg1, arg2)
