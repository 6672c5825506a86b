"""How a program defines ops for its own types: `tf.experimental.dispatch_for_api` and the like."""

import functools
import inspect
import sys
import typing

from tfcompat._core.composite import PASSING, REGISTERED, takes_composites
from tfcompat._core.extension_type.fields import type_arguments
from tfcompat._core.name_scope import name_scope
from tfcompat._core.registry import OPS

# The functions of one tensor and of two, element by element.
_UNARY = """
    zeros_like ones_like cast clip_by_value dtypes.saturate_cast debugging.check_numerics bitwise.invert
    math.abs math.softplus math.sign math.real math.imag math.angle math.round math.sigmoid math.log_sigmoid math.conj
    math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil math.sqrt math.exp math.rsqrt math.acos
    math.floor math.acosh math.asin math.asinh math.atan math.atanh math.cos math.cosh math.digamma math.erf math.erfc
    math.expm1 math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.logical_not math.negative
    math.nextafter math.reciprocal math.rint math.sin math.sinh math.square math.tan math.tanh math.special.dawsn
    math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.bessel_i0
    math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1
    math.special.bessel_k1e math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_y0 math.special.bessel_y1
    nn.relu6 nn.leaky_relu nn.gelu nn.elu nn.relu nn.selu nn.softsign nn.silu strings.regex_full_match
    strings.regex_replace strings.length strings.substr strings.to_number strings.to_hash_bucket strings.as_string
    strings.lower strings.upper strings.unicode_transcode strings.strip strings.to_hash_bucket_fast
    strings.to_hash_bucket_strong io.decode_base64 io.encode_base64 io.decode_compressed image.random_brightness
    image.stateless_random_brightness image.adjust_brightness image.adjust_gamma image.convert_image_dtype
""".split()
_BINARY = """
    math.divide math.multiply math.subtract math.scalar_mul math.pow dtypes.complex math.truediv math.divide_no_nan
    math.multiply_no_nan math.floordiv math.logical_xor math.equal math.not_equal math.add math.xdivy math.xlog1py
    bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift math.atan2
    math.floormod math.greater math.greater_equal math.less math.less_equal math.logical_and math.logical_or
    math.maximum math.minimum realdiv math.squared_difference truncatediv truncatemod math.xlogy math.zeta
    nn.sigmoid_cross_entropy_with_logits
""".split()
_ASSERTIONS = """
    debugging.assert_equal debugging.assert_none_equal debugging.assert_near debugging.assert_less
    debugging.assert_less_equal debugging.assert_greater debugging.assert_greater_equal
""".split()
_ASSERTION = "assertion"

# Handlers of elementwise functions by their types, and the targets made of them.
_elementwise: dict = {}
_targets_of: dict = {}

# Functions that did not pass on calls, and their replacements that do.
_replaced: dict = {}


def dispatch_for_api(api, *signatures):
    """Decorator of a function that replaces `api` where arguments have the types of a signature.

    Args:
      api: public function, such as `tf.stack`.
      *signatures: dicts from names or positions of parameters to types: a class, or `typing.List` or `typing.Union`
        of such. At least one argument must be, or hold, a value made of several tensors. By default the annotations
        of the decorated function are the signature.

    Returns:
      Decorator of a function with the parameters of `api`; `name` may be left out.

    Raises:
      ValueError: `api` is no such function; a signature names an unknown parameter or another kind of type; the
        parameters of the decorated function are others; there are neither signatures nor annotations.
      TypeError: a signature is no dict, or what is decorated no function.

    >>> class Pair(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    >>> @dispatch_for_api(tf.add)
    ... def add_pairs(x: Pair, y: Pair):
    ...     return Pair(tf.add(x.values, y.values))

    TF: `tf.experimental.dispatch_for_api`. Types that are not made of several tensors, and those that a conversion to
    tensors is registered for, are no reason to call the function.
    """
    function = _dispatching([api])[0]
    parameters = _parameters(function)
    checks = [_Check(parameters, signature) for signature in signatures]

    def decorate(target):
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        named = _with_name(target, parameters)
        _check_parameters(parameters, named)
        target_checks = checks or [_Check(parameters, _annotated(named))]
        REGISTERED.setdefault(function, []).extend((check, named) for check in target_checks)
        return named

    return decorate


def dispatch_for_unary_elementwise_apis(x_type):
    """Decorator of a function that replaces all elementwise ones of one tensor, for values of a type.

    Args:
      x_type: type of the first argument, as in `dispatch_for_api`.

    Returns:
      Decorator of `handler(api, x)`; `api` is a function of one tensor, with all other arguments in it.

    Raises:
      ValueError: there is such a function for the type already.

    TF: `tf.experimental.dispatch_for_unary_elementwise_apis`, of functions that exist here.
    """
    return _elementwise_decorator((x_type,), _UNARY, "unary elementwise", f"{x_type}")


def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """Decorator of a function that replaces all elementwise ones of two tensors, for values of some types.

    Args:
      x_type, y_type: types of the first two arguments, as in `dispatch_for_api`.

    Returns:
      Decorator of `handler(api, x, y)`; `api` is a function of two tensors, with all other arguments in it.

    Raises:
      ValueError: there is such a function for the types already.

    TF: `tf.experimental.dispatch_for_binary_elementwise_apis`, of functions that exist here.
    """
    return _elementwise_decorator((x_type, y_type), _BINARY, "binary elementwise", f"({x_type}, {y_type})")


def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """Decorator: as `dispatch_for_binary_elementwise_apis`, for `tf.debugging.assert_equal` and the like.

    Args:
      x_type, y_type: types of the first two arguments, as in `dispatch_for_api`.

    Returns:
      Decorator of `handler(assertion, x, y)`.

    Raises:
      ValueError: there is such a function for the types already.

    TF: `tf.experimental.dispatch_for_binary_elementwise_assert_apis`; no known difference.
    """
    return _elementwise_decorator(
        (x_type, y_type, _ASSERTION), _ASSERTIONS, "binary elementwise assert", f"({x_type}, {y_type})"
    )


def unregister_dispatch_for(dispatch_target):
    """Undoes what a `dispatch_for_...` decorator did to this function.

    Args:
      dispatch_target: the decorated function.

    Raises:
      ValueError: it was not decorated.

    TF: `tf.experimental.unregister_dispatch_for`; no known difference.
    """
    targets = {dispatch_target}
    for key in [key for key, handler in _elementwise.items() if handler is dispatch_target]:
        targets.update(_targets_of.pop(key))
        del _elementwise[key]
    registered = len(targets) > 1
    for function, entries in list(REGISTERED.items()):
        remaining = [entry for entry in entries if entry[1] not in targets]
        registered = registered or len(remaining) < len(entries)
        if remaining:
            REGISTERED[function] = remaining
        else:
            del REGISTERED[function]
    if not registered:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")


def _elementwise_decorator(key, names, what, types):
    kinds = key[:2]

    def decorate(handler):
        if key in _elementwise:
            raise ValueError(
                f"A {what} dispatch handler ({_elementwise[key]}) has already been registered for {types}."
            )
        targets = []
        for function in _dispatching([_public(name) for name in names]):
            parameters = _parameters(function)
            check = _Check(parameters, dict(enumerate(kinds)))
            target = functools.partial(_call_handler, handler, function, list(parameters), len(kinds))
            REGISTERED.setdefault(function, []).append((check, target))
            targets.append(target)
        _elementwise[key], _targets_of[key] = handler, targets
        return handler

    return decorate


def _call_handler(handler, function, parameters, count, *args, **kwargs):
    """Calls the handler of an elementwise function, with `count` of its arguments."""
    arguments = {**dict(zip(parameters, args, strict=False)), **kwargs}
    values = [arguments.pop(parameter) for parameter in parameters[:count]]
    name = arguments.pop("name", None)
    api = functools.partial(_call_rest, function, parameters[:count], arguments) if arguments else function
    if name is None:
        return handler(api, *values)
    with name_scope(name):
        return handler(api, *values)


def _call_rest(function, first, rest, *values):
    return function(**dict(zip(first, values, strict=True)), **rest)


def _public(name):
    value = sys.modules["tfcompat"]
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _parameters(function):
    return inspect.signature(function).parameters


def _dispatching(functions):
    """The functions, each as one that passes on calls it cannot take.

    Ops do so, and what is decorated with `takes_composites`. Any other function is decorated now, and the decorated
    one put in its place in all modules of the package.

    Raises:
      ValueError: something is no function of the package.
    """
    passing = {id(function) for function in (*OPS.values(), *PASSING.values(), *_replaced.values())}
    decorated, new = [], {}
    for function in functions:
        if id(function) not in passing and function not in _replaced:
            module = getattr(function, "__module__", None) or ""
            if not inspect.isfunction(function) or not module.startswith("tfcompat."):
                raise ValueError(f"{function} does not support dispatch.")
            _replaced[function] = new[id(function)] = takes_composites()(function)
        decorated.append(_replaced.get(function, function))
    for name, module in list(sys.modules.items()) if new else ():
        if name.split(".")[0] == "tfcompat" and module is not None:
            for key, value in list(vars(module).items()):
                if id(value) in new:
                    setattr(module, key, new[id(value)])
    return decorated


class _Check:
    """Whether arguments have the types of a signature.

    Args:
      parameters: those of the function, by name.
      signature: dict from names or positions to types.
    """

    def __init__(self, parameters, signature):
        if not isinstance(signature, dict) or not all(isinstance(key, str | int) for key in signature):
            raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
        self._names = list(parameters)
        self._defaults = {name: p.default for name, p in parameters.items()}
        self._types = {}
        for key, annotation in signature.items():
            name = self._names[key] if isinstance(key, int) and key < len(self._names) else key
            if name not in parameters:
                raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
            kind = parameters[name].kind
            if kind not in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
                raise ValueError(
                    "Dispatch currently only supports type annotations for positional parameters; can't handle "
                    f"annotation for {kind!r} parameter {name}."
                )
            self._types[name] = _Type(annotation)

    def __call__(self, args, kwargs):
        arguments = {**self._defaults, **dict(zip(self._names, args, strict=False)), **kwargs}
        any_composite = False
        for name, kind in self._types.items():
            fits, composite = kind(arguments[name])
            if not fits:
                return False
            any_composite = any_composite or composite
        return any_composite


class _Type:
    """Tells whether a value has an annotated type, and whether it is or holds a composite value."""

    def __init__(self, annotation):
        annotation = type(None) if annotation is None else annotation
        self._options = [_Type(each) for each in type_arguments(annotation, typing.Union) or ()]
        items = type_arguments(annotation, list)
        self._items = _Type(items[0]) if items else None
        self._class = annotation if isinstance(annotation, type) and not items else None
        if not self._options and self._items is None and self._class is None:
            raise ValueError(
                f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: type "
                "objects,  List[...], and Union[...]"
            )

    def __call__(self, value):
        if self._class is not None:
            return isinstance(value, self._class), hasattr(type(value), "_type_spec")
        if self._items is not None:
            outcomes = [self._items(each) for each in value] if isinstance(value, list | tuple) else [(False, False)]
            return all(fits for fits, _ in outcomes), any(composite for _, composite in outcomes)
        return next((outcome for outcome in (option(value) for option in self._options) if outcome[0]), (False, False))


def _annotated(target):
    """The annotations of a function as a signature."""
    try:
        hints = typing.get_type_hints(target)
    except (NameError, AttributeError):
        hints = {}
    annotations = {
        name: hints.get(name, p.annotation)
        for name, p in inspect.signature(target).parameters.items() if p.annotation is not p.empty
    }  # fmt: skip
    if not annotations:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
            "has type annotations on its parameters."
        )
    return annotations


def _with_name(target, parameters):
    """The function, taking `name` as well if the API does."""
    signature = inspect.signature(target)
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    if "name" not in parameters or "name" in signature.parameters or takes_any:
        return target
    place = list(parameters).index("name")

    @functools.wraps(target)
    def named(*args, **kwargs):
        if place < len(args):
            name, args = args[place], args[:place] + args[place + 1 :]
        else:
            name = kwargs.pop("name", None)
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    named.__dict__["__signature__"] = signature.replace(parameters=[*signature.parameters.values(), parameters["name"]])
    return named


def _check_parameters(parameters, target):
    """Raises ValueError unless the function has the parameters of the API, or takes anything."""
    signature = inspect.signature(target)
    accepted = list(signature.parameters.values())
    if [p.kind for p in accepted] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return
    if [(p.name, p.kind) for p in accepted] != [(p.name, p.kind) for p in parameters.values()]:
        shown = inspect.Signature(list(parameters.values()))
        raise ValueError(f"Dispatch function's signature {signature} does not match API's signature {shown}.")
