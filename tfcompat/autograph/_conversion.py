"""Conversion of Python functions, by the source transformations of diastatic-malt, and calls in converted code."""

import ast
import copy
import functools
import inspect
import linecache
import re
import sys
import textwrap
import threading
import types
import weakref

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    directives,
    functions,
    logical_expressions,
    return_statements,
    variables,
)
from malt.core import converter, unsupported_features_checker
from malt.lang import directives as malt_directives
from malt.operators import py_builtins
from malt.operators import variables as variable_operators
from malt.pyct import (
    anno,
    cfg,
    errors,
    inspect_utils,
    naming,
    origin_info,
    parser,
    qual_names,
    templates,
    transformer,
    transpiler,
)
from malt.pyct.static_analysis import activity, reaching_definitions

from tfcompat import array
from tfcompat._package.causes import causes_of
from tfcompat._package.logging import logger
from tfcompat._tracing.libraries import is_of_a_library
from tfcompat._tracing.status import Status, artifact, conversion_status, is_artifact
from tfcompat.autograph import _loops, _operators, experimental
from tfcompat.autograph._errors import CONVERTED
from tfcompat.autograph._log import log
from tfcompat.autograph._plain import is_plain
from tfcompat.errors import UnimplementedError

Options, Feature = converter.ConversionOptions, converter.Feature
RECURSIVE = converter.STANDARD_OPTIONS


def options_of(features, recursive=True, user_requested=False):
    """The options of a conversion.

    Args:
      features: None, a `tf.autograph.experimental.Feature`, or a collection of these.
      recursive: whether what is called is converted too.
      user_requested: whether the user asked for this very function.

    Raises:
      tf.errors.UnimplementedError: Feature.LISTS.
    """
    chosen = (features,) if isinstance(features, experimental.Feature) else tuple(features or ())
    if experimental.Feature.LISTS in chosen:
        raise UnimplementedError(
            None, None, "Feature.LISTS: lists of tensors stay Python's; use a tf.TensorArray in loops over tensors"
        )
    names = {feature.name for feature in chosen}
    if "ALL" in names:
        names = {"ASSERT_STATEMENTS", "BUILTIN_FUNCTIONS", "EQUALITY_OPERATORS"}
    names &= {"ASSERT_STATEMENTS", "BUILTIN_FUNCTIONS", "EQUALITY_OPERATORS"}
    optional_features = tuple(sorted((Feature[name] for name in names), key=lambda feature: feature.name))
    return Options(recursive=recursive, user_requested=user_requested, optional_features=optional_features or None)


# --- the transformation -------------------------------------------------------------------------------------------


class _Directives(directives.DirectivesTransformer):
    """Treats the public `set_loop_options` as malt's directive."""

    def visit_Name(self, node):
        return self._known(super().visit_Name(node))

    def visit_Attribute(self, node):
        return self._known(super().visit_Attribute(node))

    def _known(self, node):
        if anno.getanno(node, directives.STATIC_VALUE, default=None) is experimental.set_loop_options:
            anno.setanno(node, directives.STATIC_VALUE, malt_directives.set_loop_options)
        return node


class _Transpiler(transpiler.GenericTranspiler):
    def get_transformed_name(self, node):
        return "tf__" + super().get_transformed_name(node)

    def transform_function(self, function, options):
        future_features = inspect_utils.getfutureimports(function)
        node, source = _lambda_of(function) or parser.parse_entity(function, future_features=future_features)
        origin_info.resolve_entity(node, source, function)
        namespace = inspect_utils.getnamespace(function)
        namer = naming.Namer(namespace)
        name = namer.new_symbol(self.get_transformed_name(node), ())
        entity = transformer.EntityInfo(name, source, "<fragment>", future_features, namespace)
        ctx = transformer.Context(entity, namer, options)
        return self.transform_ast(self._erase_arg_defaults(node), ctx), ctx

    def transform_ast(self, node, ctx):
        unsupported_features_checker.verify(node)
        # A transformation that finds nothing to transform is left out.
        kinds = {type(each) for each in ast.walk(node)}
        has_blocks = bool(kinds & {ast.If, ast.For, ast.While, ast.With, ast.Try})
        for handler in ast.walk(node):
            if isinstance(handler, ast.ExceptHandler) and handler.name is not None:
                handler.name = _ExceptionName(handler.name)
        graphs = cfg.build(node)
        node = qual_names.resolve(node)
        node = activity.resolve(node, ctx, None)
        node = reaching_definitions.resolve(node, ctx, graphs)
        anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
        node = functions.transform(node, ctx)
        node = _Directives(ctx).visit(node)
        leaves_loops = bool(kinds & {ast.Break, ast.Continue})
        if leaves_loops:
            node = break_statements.transform(node, ctx)
        if ctx.user.options.uses(Feature.ASSERT_STATEMENTS):
            node = asserts.transform(node, ctx)
        if leaves_loops:  # breaks, too: this flattens the blocks that they leave behind
            node = continue_statements.transform(node, ctx)
        node = return_statements.transform(node, ctx)
        node = call_trees.transform(node, ctx)
        if has_blocks:  # breaks, continues and returns in them have become conditions
            node = control_flow.transform(node, ctx)
        if ast.IfExp in kinds:
            node = conditional_expressions.transform(node, ctx)
        if has_blocks or kinds & {ast.BoolOp, ast.UnaryOp, ast.Compare}:
            node = logical_expressions.transform(node, ctx)
        return variables.transform(node, ctx)


def _lambda_of(function):
    """(node, source) of a lambda that is the only one on its lines.

    None for other functions, and where malt must choose among several lambdas.
    """
    if not inspect_utils.islambda(function):
        return None
    code = function.__code__
    lines = linecache.getlines(inspect.getsourcefile(function) or code.co_filename, function.__globals__)
    here = [node for node in _lambdas_in("".join(lines)) if node.lineno <= code.co_firstlineno <= node.end_lineno]
    if len(here) != 1:
        return None
    (node,) = here
    first, last = node.lineno, node.end_lineno
    return parser._without_context(copy.deepcopy(node), lines, first, last)


@functools.lru_cache(maxsize=16)
def _lambdas_in(source):
    """The nodes of all lambdas of a file. malt parses the whole file for each lambda."""
    try:
        return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Lambda)]
    except SyntaxError:  # such as that of a notebook's cell with commands
        return []


class _ExceptionName(str):
    """The name after `except E as`. It is text, but malt expects a node."""

    _fields = ()

    def __init__(self, name):
        anno.setanno(self, anno.Basic.QN, qual_names.QN(name))


_FACTORY = f"""
  future
  def {CONVERTED}():
    closure
    def {CONVERTED}_inner(ag__):
      entity
      return name
    return {CONVERTED}_inner
"""


_NUMBER = re.compile(r"_\d+$")


class _Factory:
    """The converted code of a function, which makes the converted function for each closure."""

    def __init__(self, function, options):
        node, ctx = _Transpiler().transform_function(function, converter.ProgramContext(options))
        self.name, self.free = ctx.info.name, function.__code__.co_freevars
        if not self.name.startswith("tf__" + _NUMBER.sub("", _name_of(function))):  # malt makes f_2 of f_1
            raise errors.InaccessibleSourceCodeError(
                f"The source code of {function} is another one now: the file has changed since it was imported."
            )
        if isinstance(node, ast.Lambda):
            node = ast.Assign(targets=[ast.Name(self.name, ctx=ast.Store())], value=node)
        else:
            node.name = self.name
        future = [
            ast.ImportFrom("__future__", [ast.alias(name, None) for name in ctx.info.future_features], 0)
        ] if ctx.info.future_features else []  # fmt: skip
        nodes = templates.replace(
            _FACTORY, future=future, entity=node, name=self.name,
            closure=[line for name in self.free for line in templates.replace("x = None", x=name)],
        )  # fmt: skip
        self.source = parser.unparse(node, include_encoding_marker=False)
        log(1, "Converted %s:\n\n%s\n", function, self.source)
        code = _located(nodes, inspect.getsourcefile(function) or function.__code__.co_filename)
        scope: dict = {}
        exec(compile(code, function.__code__.co_filename, "exec"), scope)
        self._inner = scope[CONVERTED]()

    def function(self, original):
        """The converted function with globals, closure and defaults of the original."""
        cells = dict(zip(self.free, original.__closure__ or (), strict=True))
        closure = tuple(cells[name] for name in self._inner.__code__.co_freevars)
        inner = types.FunctionType(self._inner.__code__, original.__globals__, self.name, (), closure)
        result = inner(_GENERATED_CODE_USES)
        result.__defaults__, result.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
        return result


def _name_of(function):
    name = function.__code__.co_name
    return "lam" if name == "<lambda>" else name


def _located(nodes, file):
    """The tree of generated code, with the line numbers of the user's code."""
    text = parser.unparse(nodes, include_encoding_marker=False)
    tree = ast.parse(text)
    origins = origin_info.create_source_map(nodes, text, file)
    lines = {place.lineno: origin.loc.lineno for place, origin in origins.items()}
    current = min(lines.values(), default=1)
    known = []
    for number in range(1, text.count("\n") + 2):
        current = lines.get(number, current)
        known.append(current)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = known[min(node.lineno, len(known)) - 1]
            node.col_offset = node.end_col_offset = 0
    return tree


_factories: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # code -> {options: factory, or why there is none}
_lock = threading.RLock()


def _factory_of(function, options):
    """The factory for a function; raises what the first attempt raised."""
    code = function.__code__
    factory = _factories.get(code, {}).get(options)
    if factory is None:
        with _lock:
            factory = _factories.setdefault(code, {}).get(options)
            if factory is None:
                try:
                    factory = _Factory(function, options)
                except Exception as error:
                    factory = _without_frames(error)
                _factories[code][options] = factory
    if isinstance(factory, Exception):
        raise copy.copy(factory)  # what is raised holds frames, and so the code, which would never go
    return factory


def _without_frames(error):
    for cause in causes_of(error):
        cause.__traceback__ = None
    return error


def _python_function(entity):
    function = getattr(entity, "__func__", entity)
    if not isinstance(function, types.FunctionType):
        raise ValueError(
            "Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a @tf.function, "
            "try passing f.python_function instead."
        )
    return function


def converted_function(entity, options):
    """The converted form of a function or method; see `tf.autograph.to_graph`."""
    function = _python_function(entity)
    return artifact(_factory_of(function, options).function(function))


def converted_code(entity, options):
    """The source of the converted form of a function; see `tf.autograph.to_code`."""
    return textwrap.dedent(_factory_of(_python_function(entity), options).source) + "\n"


# --- calls --------------------------------------------------------------------------------------------------------

_OVERLOADS = {
    abs: _operators.abs_, float: _operators.float_, int: _operators.int_, len: _operators.len_,
    print: _operators.print_, range: _loops.range_, enumerate: _operators.enumerate_, zip: _operators.zip_,
}  # fmt: skip
_IN_ORIGINAL_CONTEXT = {
    eval: lambda args, scope: py_builtins.eval_in_original_context(eval, args, scope),
    super: lambda args, scope: py_builtins.super_in_original_context(super, args, scope),
    globals: lambda args, scope: py_builtins.globals_in_original_context(scope),
    locals: lambda args, scope: py_builtins.locals_in_original_context(scope),
}


def converted_call(f, args, kwargs, caller_fn_scope=None, options=None):
    """Calls a function, converted if it is the user's.

    Args:
      f: what is called.
      args: tuple.
      kwargs: dict, or None.
      caller_fn_scope: the scope of the converted function that contains the call.
      options: of the conversion; by default those of the scope.
    """
    kwargs = kwargs or {}
    if options is None:
        options = caller_fn_scope.callopts
    kind = type(f)
    if kind is types.BuiltinFunctionType or kind is type:
        overload = _OVERLOADS.get(f)
        if overload is not None and conversion_status.value is not Status.DISABLED:
            return overload(*args, **kwargs)
        if f in _IN_ORIGINAL_CONTEXT:
            return _IN_ORIGINAL_CONTEXT[f](args, caller_fn_scope)
        return f(*args, **kwargs)
    if f is array.range:
        return _loops.tf_range(*args, **kwargs)
    if kind is functools.partial:
        return converted_call(f.func, f.args + args, f.keywords | kwargs, caller_fn_scope, options)
    asked_for = options.internal_convert_user_code or options.user_requested
    if conversion_status.value is Status.DISABLED or not asked_for:
        return f(*args, **kwargs)
    target = _target(f, options.user_requested)
    if target is None or not options.optional_features and is_plain(f, args, kwargs):
        return f(*args, **kwargs)
    try:
        function = _factory_of(target, options).function(target)
    except Exception as error:
        _warn_unconverted(f, target, error)
        return f(*args, **kwargs)
    if target is not f:
        args = (f.__self__ if kind is types.MethodType else f, *args)
    return function(*args, **kwargs)


def _target(f, asked_for):
    """The Python function to convert, or None to leave `f` as it is.

    Args:
      f: what is called.
      asked_for: whether a `tf.function` was made of it.
    """
    if is_artifact(f):
        return None
    if isinstance(f, types.MethodType):
        function = f.__func__
        case = sys.modules.get("unittest")
        if case is not None and isinstance(f.__self__, case.TestCase):
            return None
    elif isinstance(f, types.FunctionType):
        function = f
    elif isinstance(f, type):
        return None
    else:
        function = getattr(type(f), "__call__", None)  # noqa: B004
    if not isinstance(function, types.FunctionType) or is_artifact(function):
        return None
    if is_of_a_library(function, asked_for):
        return None
    code = function.__code__
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    return None if code.co_filename == "<string>" or CONVERTED in code.co_qualname else function


_warned: weakref.WeakSet = weakref.WeakSet()


def _warn_unconverted(f, target, error):
    code = target.__code__
    if code in _warned:
        return
    _warned.add(code)
    known = isinstance(error, errors.InaccessibleSourceCodeError | errors.UnsupportedLanguageElementError)
    logger.warning(
        "AutoGraph could not transform %s and will run it as-is.\n%sCause: %s\nTo silence this warning, decorate the "
        "function with @tf.autograph.experimental.do_not_convert",
        f, "" if known else "Please report this to the authors of tfcompat.\n", error,
    )  # fmt: skip


# --- what generated code uses -------------------------------------------------------------------------------------


class _FunctionScope:
    """The context of a converted function's body."""

    def __init__(self, function_name, scope_name, options):
        self.name, self.options = scope_name, options
        self.callopts = options.call_options()
        self._status = conversion_status.set_to(Status.ENABLED) if options.user_requested else None

    def __enter__(self):
        if self._status is not None:
            self._status.__enter__()
        return self

    def __exit__(self, *exc):
        if self._status is not None:
            self._status.__exit__(*exc)

    def ret(self, value, did_return):
        """The function's result."""
        return None if isinstance(value, variable_operators.UndefinedReturnValue) else value


def _with_function_scope(thunk, scope_name, options):
    with _FunctionScope("lambda_", scope_name, options) as scope:
        return thunk(scope)


_GENERATED_CODE_USES = types.SimpleNamespace(
    ConversionOptions=Options,
    Feature=Feature,
    FunctionScope=_FunctionScope,
    STD=RECURSIVE,
    Undefined=variable_operators.Undefined,
    UndefinedReturnValue=variable_operators.UndefinedReturnValue,
    and_=_operators.and_,
    assert_stmt=_operators.assert_stmt,
    autograph_artifact=artifact,
    converted_call=converted_call,
    eq=_operators.eq,
    for_stmt=_loops.for_stmt,
    if_exp=_operators.if_exp,
    if_stmt=_operators.if_stmt,
    ld=variable_operators.ld,
    ldu=variable_operators.ldu,
    not_=_operators.not_,
    not_eq=_operators.not_eq,
    or_=_operators.or_,
    while_stmt=_loops.while_stmt,
    with_function_scope=_with_function_scope,
)
