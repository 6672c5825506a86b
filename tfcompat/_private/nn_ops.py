"""tensorflow/python/ops/nn_ops.py: the class of convolutions that layers of other packages keep."""
import tfcompat as _tf


class Convolution:
    """A convolution whose options are set beforehand. Called with an input and a filter, as `tf.nn.convolution`.

    Args:
      input_shape, filter_shape: unused; the tensors of a call have shapes.
      padding, strides, dilation_rate, data_format: as for `tf.nn.convolution`.
      name: unused.
    """

    def __init__(self, input_shape, filter_shape, padding, strides=None, dilation_rate=None, name=None,
                 data_format=None):  # fmt: skip
        self.padding, self.strides, self.dilation_rate, self.data_format = padding, strides, dilation_rate, data_format

    def __call__(self, inp, filter):
        return _tf.nn.convolution(
            inp, filter, strides=self.strides, padding=self.padding, data_format=self.data_format,
            dilations=self.dilation_rate,
        )  # fmt: skip
