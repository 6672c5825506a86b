"""tensorflow/python/ops: control_flow_case.py, control_flow_util.py, parallel_for/control_flow_ops.py."""
import tfcompat as _tf


def GraphOrParentsInXlaContext(graph):  # noqa: N802
    """False: nothing asks for XLA by the graph. Everything is compiled with it, and TF's default code suits it."""
    return False


def _case_helper(cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False, **cond_kwargs):
    """`tf.case` in terms of a `cond` given by the caller."""
    if exclusive:
        raise _tf.errors.UnimplementedError(None, None, "case with exclusive=True: use tf.case")
    result = default
    for predicate, function in reversed(list(pred_fn_pairs)):
        if result is None:
            result = function
            continue
        result = _either(cond_fn, predicate, function, result, cond_kwargs)
    return result() if callable(result) else result


def _either(cond_fn, predicate, function, otherwise, options):
    return lambda: cond_fn(predicate, true_fn=function, false_fn=otherwise, **options)


def pfor(loop_fn, iters, fallback_to_while_loop=True, parallel_iterations=None, warn=False):
    """`loop_fn` of 0, 1, ... `iters - 1`, all at once; results are stacked. TF: `pfor`."""
    if parallel_iterations is not None:
        raise _tf.errors.UnimplementedError(None, None, "pfor with parallel_iterations: leave it out")
    return _tf.vectorized_map(loop_fn, _tf.range(iters), fallback_to_while_loop)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{name} is private to TensorFlow, and not available in tfcompat", name=name)
