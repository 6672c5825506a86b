"""tensorflow/python/ops: rnn_cell.py, rnn_cell_impl.py."""
import tfcompat as _tf


class RNNCell(_tf.keras.layers.Layer):
    """Base class of the cells of TensorFlow 1: called with inputs and a state, returns an output and a state."""

    @property
    def state_size(self):
        """The size of the state, or a nest of sizes."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return _tf.nest.map_structure(lambda size: _tf.zeros(_concat(batch_size, size), dtype), self.state_size)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """`zero_state` for the batch and dtype of `inputs`, or for those given."""
        if inputs is not None:
            inputs = _tf.convert_to_tensor(inputs)
            batch_size, dtype = _tf.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)


def _concat(prefix, suffix, static=False):
    """The sizes of both, each a size or a shape; as a list if `static`."""
    if static:
        parts = [_tf.TensorShape([part] if isinstance(part, int) else part) for part in (prefix, suffix)]
        return parts[0].concatenate(parts[1]).as_list()
    return _tf.concat([_tf.reshape(_tf.convert_to_tensor(part, _tf.int32), [-1]) for part in (prefix, suffix)], 0)
