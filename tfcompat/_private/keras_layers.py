"""tensorflow/python/keras, and Keras 2 below `keras.src`: what modules of layers hold that is not public."""
import tfcompat as _tf
from tfcompat.layers._convolutional.convolution import Conv as Conv
from tfcompat.layers._symbolic.keras_tensor import KerasTensor as KerasTensor
from tfcompat.layers._symbolic.op_layers import SlicingOpLambda as SlicingOpLambda
from tfcompat.layers._symbolic.op_layers import TFOpLambda as TFOpLambda


def __getattr__(name):
    return getattr(_tf.keras.layers, name)
