"""The functions of `tf.experimental.numpy`: a row each, computed by the function of `jax.numpy` of that name.

Arguments before the bar are arrays (`*x` a list of arrays), those behind it are known while tracing.
"""

ROWS = """
    absolute x
    abs x
    add x1 x2
    all a | axis=None keepdims=None
    allclose a b | rtol=1e-05 atol=1e-08 equal_nan=False
    amax a | axis=None out=None keepdims=None
    amin a | axis=None out=None keepdims=None
    angle z | deg=False
    any a | axis=None keepdims=None
    append arr values | axis=None
    arccos x
    arccosh x
    arcsin x
    arcsinh x
    arctan x
    arctan2 x1 x2
    arctanh x
    argmax a | axis=None
    argmin a | axis=None
    argsort a | axis=-1 kind='quicksort' order=None
    around a | decimals=0
    array_equal a1 a2
    bitwise_and x1 x2
    bitwise_not x
    bitwise_or x1 x2
    bitwise_xor x1 x2
    broadcast_to array | shape
    cbrt x
    ceil x
    concatenate *arys | axis=0
    conj x
    conjugate x
    cos x
    cosh x
    cross a b | axisa=-1 axisb=-1 axisc=-1 axis=None
    cumprod a | axis=None dtype=None
    cumsum a | axis=None dtype=None
    deg2rad x
    diag v | k=0
    diagflat v | k=0
    diagonal a | offset=0 axis1=0 axis2=1
    diff a | n=1 axis=-1
    divide x1 x2
    divmod x1 x2
    dot a b
    dstack *tup
    equal x1 x2
    exp x
    exp2 x
    expand_dims a | axis
    expm1 x
    fabs x
    fix x
    flatten a | order='C'
    flip m | axis=None
    fliplr m
    flipud m
    float_power x1 x2
    floor x
    floor_divide x1 x2
    gcd x1 x2
    greater x1 x2
    greater_equal x1 x2
    heaviside x1 x2
    hstack *tup
    hypot x1 x2
    imag val
    inner a b
    isclose a b | rtol=1e-05 atol=1e-08 equal_nan=False
    iscomplex x
    isfinite x
    isinf x
    isnan x
    isneginf x
    isposinf x
    isreal x
    kron a b
    lcm x1 x2
    less x1 x2
    less_equal x1 x2
    log x
    log10 x
    log1p x
    log2 x
    logaddexp x1 x2
    logaddexp2 x1 x2
    logical_and x1 x2
    logical_not x
    logical_or x1 x2
    logical_xor x1 x2
    matmul x1 x2
    max a | axis=None keepdims=None
    maximum x1 x2
    mean a | axis=None dtype=None out=None keepdims=None
    min a | axis=None keepdims=None
    minimum x1 x2
    mod x1 x2
    moveaxis a | source destination
    multiply x1 x2
    nanmean a | axis=None dtype=None keepdims=None
    nanprod a | axis=None dtype=None keepdims=None
    nansum a | axis=None dtype=None keepdims=None
    negative x
    nextafter x1 x2
    not_equal x1 x2
    outer a b
    polyval p x
    positive x
    power x1 x2
    prod a | axis=None dtype=None keepdims=None
    ptp a | axis=None keepdims=None
    rad2deg x
    ravel a
    real val
    reciprocal x
    remainder x1 x2
    repeat a | repeats axis=None
    reshape a | newshape order='C'
    roll a | shift axis=None
    rot90 m | k=1 axes=(0,1)
    round a | decimals=0
    sign x
    signbit x
    sin x
    sinc x
    sinh x
    sort a | axis=-1 kind='quicksort' order=None
    sqrt x
    square x
    squeeze a | axis=None
    stack *arrays | axis=0
    std a | axis=None keepdims=None
    subtract x1 x2
    sum a | axis=None dtype=None keepdims=None
    swapaxes a | axis1 axis2
    take a indices | axis=None out=None mode='clip'
    take_along_axis arr indices | axis
    tan x
    tanh x
    tensordot a b | axes=2
    tile a | reps
    trace a | offset=0 axis1=0 axis2=1 dtype=None
    transpose a | axes=None
    tril m | k=0
    triu m | k=0
    true_divide x1 x2
    vander x | N=None increasing=False
    var a | axis=None dtype=None out=None ddof=0 keepdims=None
    vdot a b
    vstack *tup
"""

# Functions, and the exceptions that TensorFlow raises for arrays of some dtypes: its kernels do not take them. What it
# raises only without `experimental_enable_numpy_behavior` is not listed.
_REFUSED = """
    absolute abs fabs | InvalidArgumentError: bool unsigned
    all any | UnimplementedError: string
    amax amin cross greater greater_equal isfinite isnan less | InvalidArgumentError: complex
    less_equal max maximum min minimum nanmean nanprod nansum ptp | InvalidArgumentError: complex
    arctan2 | InvalidArgumentError: bool unsigned signed complex string
    argmax argmin | InvalidArgumentError: complex string
    argsort | InvalidArgumentError: bool string; TypeError: complex
    around divmod floor_divide round | NotFoundError: complex
    conj conjugate real | TypeError: bool
    cumprod cumsum polyval square | InvalidArgumentError: bool
    diag diagflat diagonal divide iscomplex isreal rad2deg signbit true_divide | TypeError: string
    dot inner tensordot vdot | InvalidArgumentError: bool int8 int16; NotFoundError: unsigned
    float_power power | InvalidArgumentError: bool unsigned string
    gcd lcm | ValueError: bool bfloat16 floats complex string; InvalidArgumentError: unsigned
    heaviside | TypeError: bool string
    hypot | InvalidArgumentError: bool string
    logaddexp logaddexp2 sort | InvalidArgumentError: bool complex string
    matmul | ValueError: bool int8 int16; NotFoundError: unsigned
    mean std var | InvalidArgumentError: string
    negative sign vander | InvalidArgumentError: unsigned
    nextafter | InvalidArgumentError: bool unsigned signed bfloat16 float16 string
    reciprocal | InvalidArgumentError: bool unsigned; NotFoundError: signed
    trace | InvalidArgumentError: bool; TypeError: string
    tril triu | TypeError: bool string
"""
_GROUPS = {
    "complex": "complex64 complex128", "floats": "float16 float32 float64", "signed": "int8 int16 int32 int64",
    "unsigned": "uint8 uint16 uint32 uint64",
}  # fmt: skip


def _refused():
    """Name of a function -> name of a dtype -> name of the exception."""
    found: dict = {}
    for row in _REFUSED.strip().splitlines():
        names, _, kinds = row.partition("|")
        for kind in kinds.split(";"):
            error, _, groups = kind.partition(":")
            dtypes = [dtype for group in groups.split() for dtype in _GROUPS.get(group, group).split()]
            for name in names.split():
                found.setdefault(name, {}).update(dict.fromkeys(dtypes, error.strip()))
    return found


REFUSED = _refused()
