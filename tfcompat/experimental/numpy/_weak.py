"""The conversion modes "safe" and "all": promotion of dtypes as in JAX, with weak dtypes of Python's numbers.

A weak tensor is one whose dtype gives way to that of another operand. Python's numbers, lists of them, and what
functions of one argument make of these are weak.
"""

import functools
import inspect
import sys

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, text_of, wrap
from tfcompat._core.variable import Variable
from tfcompat.array._cast import cast

# What two dtypes give, as TensorFlow's table has it: each row begins with the dtype itself and goes on in the order of
# the rows. `*` is weak; `!` is refused in mode "safe".
_TABLE = """
bool bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128 \
int32* int64* float32* float64* complex128*
uint8 uint8 uint16 uint32 uint64 int16! int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128 \
uint8 uint8 float64*! float64* complex128*
uint16 uint16 uint32 uint64 int32! int32! int32 int64 bfloat16! float16! float32 float64 complex64 complex128 \
uint16 uint16 float64*! float64* complex128*
uint32 uint32 uint64 int64! int64! int64! int64 bfloat16! float16! float32! float64 complex64! complex128 \
uint32 uint32 float64*! float64* complex128*
uint64 uint64 float64*! float64*! float64*! float64*! bfloat16! float16! float32! float64! complex64! complex128! \
uint64 uint64 float64*! float64*! complex128*!
int8 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128 \
int8 int8 float64*! float64* complex128*
int16 int16 int32 int64 bfloat16! float16! float32 float64 complex64 complex128 \
int16 int16 float64*! float64* complex128*
int32 int32 int64 bfloat16! float16! float32! float64 complex64! complex128 int32 int32 float64*! float64* complex128*
int64 int64 bfloat16! float16! float32! float64! complex64! complex128! int64 int64 float64*! float64*! complex128*!
bfloat16 bfloat16 float32! float32 float64 complex64 complex128 bfloat16 bfloat16 bfloat16 bfloat16 complex64!
float16 float16 float32 float64 complex64 complex128 float16 float16 float16 float16 complex64!
float32 float32 float64 complex64 complex128 float32 float32 float32 float32 complex64!
float64 float64 complex128! complex128 float64 float64 float64 float64 complex128
complex64 complex64 complex128 complex64 complex64 complex64 complex64 complex64
complex128 complex128 complex128 complex128 complex128 complex128 complex128
int32* int32* int64* float32* float64* complex128*
int64* int64* float32* float64* complex128*
float32* float32* float64* complex128*
float64* float64* complex128*
complex128* complex128*
"""

# Functions of one tensor whose result is weak where that is, by namespace, as TensorFlow has them.
_OF_ONE = {
    "math": """abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh
        digamma erf erfc erfcinv erfinv exp expm1 floor imag lgamma log log1p log_sigmoid log_softmax ndtri negative
        real reciprocal reciprocal_no_nan reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min
        reduce_prod reduce_std reduce_sum reduce_variance rint round rsqrt sigmoid sign sin sinh softplus sqrt square
        tan tanh""",
    "": """abs acos acosh asin asinh atan atanh clip_by_value cos cosh exp expand_dims floor identity negative ones_like
        reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape round sigmoid sign sin sinh
        sqrt square squeeze stop_gradient tan tanh transpose zeros_like""",
    "nn": "depth_to_space gelu leaky_relu log_softmax relu6 sigmoid silu softplus space_to_depth swish tanh",
    "math.special": """bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1
        bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence""",
    "linalg": "diag diag_part matrix_transpose tensor_diag_part trace",
    "bitwise": "invert",
    "image": "extract_patches",
    "debugging": "check_numerics",
    "experimental.numpy": """abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array
        asanyarray asarray ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh cumprod cumsum
        deg2rad diag diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs fix flatten flip fliplr flipud
        floor full_like imag log log10 log1p log2 max mean min moveaxis nanmean negative ones_like positive prod
        rad2deg ravel real reciprocal repeat reshape rot90 round sin sinc sinh sort sqrt square squeeze std sum swapaxes
        tan tanh trace transpose triu vander var zeros_like""",
}
# Functions of two tensors, which are promoted.
_OF_TWO = {
    "": "add divide matmul multiply pow realdiv subtract truediv truncatediv truncatemod",
    "math": "add divide divide_no_nan floordiv floormod mod multiply multiply_no_nan pow subtract truediv",
    "linalg": "matmul",
    "experimental.numpy": "matmul",
}
# NumPy's functions that make arrays: those of Python's numbers are of 32 bits.
_MAKING = "empty eye full geomspace identity linspace logspace ones tri where zeros"
# Of these the result is never weak.
_COMPARING = {"": "equal maximum minimum", "math": "equal maximum minimum"}
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")


class _Weak:
    """What weak tensors have in common."""

    __slots__ = ()

    def to_tensor(self):
        """The tensor with the same dtype, which is not weak. TF: `WeakTensor.to_tensor`."""
        return wrap(self._node)  # pyright: ignore


class EagerWeakTensor(_Weak, EagerTensor):
    """A tensor whose dtype gives way to those of other operands. TF: `EagerWeakTensor`."""

    __slots__ = ()

    def __str__(self):
        return f"tf.Tensor({text_of(self, repr_=False)}, shape={self.shape}, dtype={self.dtype.name}, weak=True)"

    def __repr__(self):
        value = text_of(self, repr_=True)
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={value}, weak=True>"


class GraphWeakTensor(_Weak, SymbolicTensor):
    """A weak tensor in a function that is traced. TF: `GraphWeakTensor`."""

    __slots__ = ()


def _weakened(result):
    if isinstance(result, list | tuple):
        return type(result)(map(_weakened, result))
    if not isinstance(result, Tensor) or isinstance(result, _Weak) or result.dtype.name not in _WEAK:
        return result
    cls = EagerWeakTensor if isinstance(result, EagerTensor) else GraphWeakTensor
    tensor = cls.__new__(cls)
    tensor._node = result._node
    return tensor


_WEAK = ("int32", "int64", "float32", "float64", "complex128")


class _Unsupported(Exception):
    """There is no promotion for this."""


@functools.cache
def _table():
    """{(dtype, dtype): (dtype that both give, whether mode "safe" refuses it)}, of names."""
    rows = [line.split() for line in _TABLE.strip().splitlines()]
    names = [row[0] for row in rows]
    table = {}
    for i, row in enumerate(rows):
        for other, cell in zip(names[i:], row[1:], strict=True):
            table[row[0], other] = table[other, row[0]] = cell.rstrip("!"), cell.endswith("!")
    table["string", "string"] = "string", False
    return table


def _kind(x):
    """The name of the dtype of an operand, with `*` if it is weak."""
    if isinstance(x, _Weak):
        return x.dtype.name + "*"
    if isinstance(x, Tensor | Variable) or isinstance(getattr(x, "dtype", None), dtypes.DType):
        return x.dtype.name
    if isinstance(x, dtypes.DType):
        return x.name
    if isinstance(x, np.ndarray | np.generic) or isinstance(getattr(x, "dtype", None), np.dtype):
        return dtypes.as_dtype(x.dtype).name
    if isinstance(x, bytes | str):
        return "string"
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, int):
        if not -(2**31) <= x < 2**31:
            raise OverflowError(f"Python int {x} too large to convert to np.int32")
        return "int32*"
    if isinstance(x, float):
        return "float32*"
    if isinstance(x, complex):
        return "complex128*"
    if isinstance(x, TensorShape):
        return "int32"
    if isinstance(x, type | np.dtype | str):
        return dtypes.as_dtype(x).name
    raise _Unsupported


def result_type(mode, *operands):
    """(dtype, whether it is weak) of what the operands give together.

    Raises:
      TypeError: the mode is "safe", and a promotion may lose values.
      OverflowError: a Python integer has more than 32 bits.
    """
    leaves = nest.flatten([x for x in operands if x is not None])
    if any(hasattr(type(x), "_type_spec") for x in leaves):
        raise _Unsupported
    kinds = list(map(_kind, leaves)) or ["float32*"]
    result = kinds[0]
    for kind in kinds[1:]:
        if (result, kind) not in _table():
            raise _Unsupported
        both, is_unsafe = _table()[result, kind]
        if is_unsafe and mode == "safe":
            raise TypeError(
                f"In promotion mode PromoMode.SAFE, implicit dtype promotion between ({_shown(result)}) and "
                f"({_shown(kind)}) is disallowed. You need to explicitly specify the dtype in your op, or relax your "
                "dtype promotion rules (such as from SAFE mode to ALL mode)."
            )
        result = both
    return dtypes.as_dtype(result.rstrip("*")), result.endswith("*")


def _shown(kind):
    return f"<dtype: '{kind.rstrip('*')}'>, weak={kind.endswith('*')}"


def _strong(x):
    return x.to_tensor() if isinstance(x, _Weak) else x


def _as(x, dtype):
    x = _strong(x)
    return cast(x, dtype) if isinstance(x, Tensor | Variable) else convert_to_tensor(x, dtype)


def _of_one(function, mode, parameter=None):
    signature = inspect.signature(function)
    parameter = parameter or next(iter(signature.parameters))

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs).arguments
        x = bound.get(parameter)
        if isinstance(x, Tensor) and not isinstance(x, _Weak) or bound.get("dtype") is not None:
            return function(*map(_strong, args), **kwargs)
        try:
            dtype, is_weak = result_type(mode, x)
        except _Unsupported:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.arguments[parameter] = _as(x, dtype)
        result = function(*map(_strong, bound.args), **bound.kwargs)
        return _weakened(result) if is_weak else result

    return wrapper


def _of_two(function, mode, is_weak_too=True):
    signature = inspect.signature(function)
    first, second = list(signature.parameters)[:2]

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        try:
            dtype, is_weak = result_type(mode, bound.arguments[first], bound.arguments[second])
        except _Unsupported:
            return function(*args, **kwargs)
        for name in (first, second):
            bound.arguments[name] = _as(bound.arguments[name], dtype)
        result = function(*bound.args, **bound.kwargs)
        return _weakened(result) if is_weak and is_weak_too else result

    return wrapper


def _operator(name, plain, of_tensors, mode, reflects=False, is_weak_too=True):
    """An operator that promotes: `plain` is what it is otherwise, `of_tensors` that of tensors, not reflected."""

    def operate(self, other):
        if other is None or getattr(other, "_tf_operators_first", False):
            return plain(self, other)
        try:
            dtype, is_weak = result_type(mode, *((other, self) if reflects else (self, other)))
        except _Unsupported:
            dtype, is_weak = None, False
        if dtype is None or name == "mul" and self.dtype.is_bool:  # a product of bools is their conjunction
            return plain(_strong(self), _strong(other))
        x, y = _as(self, dtype), _as(other, dtype)
        result = of_tensors(y, x) if reflects else of_tensors(x, y)
        return _weakened(result) if is_weak and is_weak_too else result

    operate.__name__ = f"__r{name}__" if reflects else f"__{name}__"
    return operate


def _assignment(plain, mode):
    @functools.wraps(plain)
    def assign(self, value, *args, **kwargs):
        try:
            dtype, _ = result_type(mode, self, value)
        except _Unsupported:
            return plain(self, value, *args, **kwargs)
        if dtype != self.dtype:
            name, own = plain.__name__, f"<dtype: '{self.dtype.name}'>"
            raise TypeError(
                f"Variable dtype is immutable. Calling {name} of Variable (with dtype {own}) on {value} "
                f"requires converting {value} to {own}. This is disabled in the current promotion semantics. "
                f"Please convert {value} manually before calling {name}."
            )
        return plain(self, _as(value, dtype), *args, **kwargs)

    return assign


def _constant(plain, mode):
    @functools.wraps(plain)
    def constant(value, dtype=None, shape=None, name="Const"):
        if dtype is None:
            try:
                dtype, is_weak = result_type(mode, value)
            except _Unsupported:
                return plain(value, dtype, shape, name)
            result = plain(_strong(value), dtype, shape, name)
            return _weakened(result) if is_weak else result
        dtype = dtypes.as_dtype(dtype)
        try:
            target = result_type(mode, value, dtype)[0]
        except _Unsupported:
            target = None
        value = _strong(value)
        return plain(cast(value, dtype) if target == dtype and isinstance(value, Tensor) else value, dtype, shape, name)

    return constant


def _narrow(function):
    """A function of `tf.experimental.numpy` that makes results of 32 bits where no argument has 64."""

    @functools.wraps(function)
    def narrow(*args, **kwargs):
        result = function(*args, **kwargs)
        if not isinstance(result, Tensor) or result.dtype.name not in _NARROW or kwargs.get("dtype") is not None:
            return result
        arguments = nest.flatten([*args, *kwargs.values()])
        if any(isinstance(x, type | dtypes.DType | np.dtype) or _is_wide(x) for x in arguments):
            return result
        return cast(result, _NARROW[result.dtype.name])

    return narrow


_NARROW = {"float64": dtypes.float32, "int64": dtypes.int32}


def _is_wide(x):
    dtype = getattr(x, "dtype", None)
    return dtype is not None and dtypes.as_dtype(dtype).size >= 8


def _losing_weakness(plain):
    """A function whose result is never weak."""

    @functools.wraps(plain)
    def function(*args, **kwargs):
        return _strong(plain(*map(_strong, args), **kwargs))

    return function


def _namespace(path):
    """A public namespace of the package, which has been imported when a mode is chosen."""
    return functools.reduce(getattr, filter(None, path.split(".")), sys.modules["tfcompat"])


def changes(mode):
    """Yields (class or module, name, what it is in this mode): what the mode changes."""
    for table, make in (
        (_OF_ONE, _of_one),
        (_OF_TWO, _of_two),
        (_COMPARING, functools.partial(_of_two, is_weak_too=False)),
    ):
        for namespace, names in table.items():
            module = _namespace(namespace)
            for name in names.split():
                function = getattr(module, name)
                yield module, name, make(_narrow(function) if "numpy" in namespace else function, mode)
    numpy = _namespace("experimental.numpy")
    for name in _MAKING.split():
        yield numpy, name, _narrow(getattr(numpy, name))
    package, math = _namespace(""), _namespace("math")
    yield math, "scalar_mul", _of_one(math.scalar_mul, mode, "x")
    yield package, "constant", _constant(package.constant, mode)
    for name in ("cast", "convert_to_tensor"):
        yield package, name, _losing_weakness(getattr(package, name))
    for cls in (Tensor, Variable):
        for name in (*_OPERATORS, "eq"):
            of_tensors, is_weak_too = getattr(Tensor, f"__{name}__"), name != "eq"
            plain = getattr(cls, f"__{name}__")
            yield cls, f"__{name}__", _operator(name, plain, of_tensors, mode, is_weak_too=is_weak_too)
            if is_weak_too:
                plain = getattr(cls, f"__r{name}__")
                yield cls, f"__r{name}__", _operator(name, plain, of_tensors, mode, reflects=True)
    for name in ("neg", "abs", "invert", "pos", "round"):
        yield _Weak, f"__{name}__", _weak_method(getattr(EagerTensor, f"__{name}__"))
    for name in ("transpose", "flatten", "reshape", "ravel", "clip", "max", "mean", "min"):
        yield _Weak, name, _weak_method(_narrow(getattr(Tensor, name)))
    yield Tensor, "mean", _narrow(Tensor.mean)  # pyright: ignore
    transposed = _weak_method(Tensor.transpose)
    yield _Weak, "T", property(transposed)
    for name in ("assign", "assign_add", "assign_sub"):
        yield Variable, name, _assignment(getattr(Variable, name), mode)


def _weak_method(plain):
    return lambda self, *args, **kwargs: _weakened(plain(_strong(self), *args, **kwargs))
