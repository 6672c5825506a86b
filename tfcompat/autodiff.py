"""`tf.autodiff`."""
from tfcompat import nest as _nest
from tfcompat._control import vectorized_map as _vectorized_map
from tfcompat._core.convert import convert_to_tensor as _convert_to_tensor
from tfcompat._package.missing import missing as _missing
from tfcompat.tape import ForwardAccumulator as ForwardAccumulator
from tfcompat.tape import GradientTape as GradientTape

__getattr__ = _missing("tf.autodiff")


def per_example_gradients(function, sources, *batch):
    """The gradient of each example's loss, in one vectorized pass.

    Args:
      function: `function(*example) -> scalar Tensor`, the loss of one example.
      sources: Variable or a nest of them.
      *batch: tensors or nests of tensors whose first dimension counts the examples; `function` gets a slice of each.

    Returns:
      Nest like `sources` of tensors of shape [examples] + source.shape; None for variables without a path.

    TF: TensorFlow lacks this; a tape inside `tf.vectorized_map`, or `tape.jacobian` of the vector of losses, which
    does the work of every example for each.

    >>> w = tf.Variable(2.0)
    >>> tf.autodiff.per_example_gradients(lambda x: w * x**2, w, tf.constant([1.0, 3.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 9.], dtype=float32)>
    """
    flat = _nest.flatten(sources)
    connected = [False] * len(flat)

    def one(example):
        with GradientTape() as tape:
            for source in flat:
                tape.watch(source)
            loss = function(*example)
        gradients = tape.gradient(loss, flat)
        connected[:] = [g is not None for g in gradients]
        return [_convert_to_tensor(g) for g in gradients if g is not None]

    rows = iter(_vectorized_map(one, _nest.map_structure(_convert_to_tensor, tuple(batch))))
    return _nest.pack_sequence_as(sources, [next(rows) if there else None for there in connected])

