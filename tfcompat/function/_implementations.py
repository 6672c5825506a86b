"""Functions with several implementations, one for each device.

Libraries (Keras's recurrent layers, TensorFlow Probability's samplers) give TensorFlow's graph optimizer, Grappler's
implementation selector, a function with the attribute `api_implements`, which they call, and another of the same name
with `api_preferred_device`, which they add to the graph. On that device the second runs in place of the first, unless
it uses variables or tensors of the function around. Functions with `jit_compile=True` never reach that optimizer.
"""
import jax

from tfcompat import engine
from tfcompat._tracing.switch import Switch
from tfcompat.engine import function_trace

NAME, DEVICE = "api_implements", "api_preferred_device"
for_xla = Switch(False)  # whether a function with `jit_compile=True` is being traced


def implemented(attributes):
    """The name of what a function of these attributes implements for any device, or None."""
    return attributes.get(NAME) if attributes and DEVICE not in attributes else None


def called(trace, name, arguments, results):
    """Notes the call, while tracing, of a function that implements `name` for any device, with nodes as arguments."""
    if results and not engine.state.watchers:  # a tape has seen how it is computed
        trace.implementations[name] = arguments, results[0].inputs[0]


def offer(attributes, concrete):
    """Replaces the implementation called before by `concrete`, if that is for the device in use."""
    name = attributes.get(NAME) if attributes else None
    trace = function_trace(engine.state.graph)
    if for_xla.value or trace is None or concrete is None or name not in trace.implementations:
        return
    arguments, node = trace.implementations[name]
    device = attributes.get(DEVICE, "").upper()
    if device != jax.default_backend().upper() or not concrete.is_pure() or node.graph is not engine.state.graph:
        return
    inputs = (*arguments, *concrete.captures)
    call = concrete.operation.bind(engine.NO_ATTRIBUTES, tuple([x.aval for x in inputs]))
    if call.aval.parts == node.aval.parts:
        node.call, node.inputs = call, inputs
