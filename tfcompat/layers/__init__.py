"""Keras layers: `tf.keras.layers`, with the models and the functions layers take by name."""

from tfcompat._missing import missing as _missing
from tfcompat.layers._activations import ELU as ELU
from tfcompat.layers._activations import LeakyReLU as LeakyReLU
from tfcompat.layers._activations import PReLU as PReLU
from tfcompat.layers._activations import ReLU as ReLU
from tfcompat.layers._activations import Softmax as Softmax
from tfcompat.layers._activations import ThresholdedReLU as ThresholdedReLU
from tfcompat.layers._base import Layer as Layer
from tfcompat.layers._core import Activation as Activation
from tfcompat.layers._core import Dense as Dense
from tfcompat.layers._core import Dropout as Dropout
from tfcompat.layers._core import Embedding as Embedding
from tfcompat.layers._core import Lambda as Lambda
from tfcompat.layers._input import Input as Input
from tfcompat.layers._input import InputLayer as InputLayer
from tfcompat.layers._input_spec import InputSpec as InputSpec
from tfcompat.layers._merge import Add as Add
from tfcompat.layers._merge import Average as Average
from tfcompat.layers._merge import Concatenate as Concatenate
from tfcompat.layers._merge import Dot as Dot
from tfcompat.layers._merge import Maximum as Maximum
from tfcompat.layers._merge import Minimum as Minimum
from tfcompat.layers._merge import Multiply as Multiply
from tfcompat.layers._merge import Subtract as Subtract
from tfcompat.layers._merge import add as add
from tfcompat.layers._merge import average as average
from tfcompat.layers._merge import concatenate as concatenate
from tfcompat.layers._merge import dot as dot
from tfcompat.layers._merge import maximum as maximum
from tfcompat.layers._merge import minimum as minimum
from tfcompat.layers._merge import multiply as multiply
from tfcompat.layers._merge import subtract as subtract
from tfcompat.layers._normalization import BatchNormalization as BatchNormalization
from tfcompat.layers._normalization import LayerNormalization as LayerNormalization
from tfcompat.layers._registry import deserialize as deserialize
from tfcompat.layers._registry import serialize as serialize
from tfcompat.layers._reshaping import Flatten as Flatten
from tfcompat.layers._reshaping import Permute as Permute
from tfcompat.layers._reshaping import RepeatVector as RepeatVector
from tfcompat.layers._reshaping import Reshape as Reshape

_OWN = "a subclass of tf.keras.layers.Layer"
_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "DepthwiseConv2D", "SeparableConv2D")
_POOLINGS = (
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
)
_GLOBAL_POOLINGS = tuple(f"Global{kind}Pooling{n}D" for kind in ("Average", "Max") for n in (1, 2, 3))

__getattr__ = _missing(
    "tf.keras.layers",
    {
        **dict.fromkeys(_CONVOLUTIONS, f"{_OWN} that calls tf.nn.convolution"),
        "Conv2DTranspose": f"{_OWN} that calls tf.nn.conv2d_transpose",
        **dict.fromkeys(_POOLINGS, f"{_OWN} that calls tf.nn.pool"),
        **dict.fromkeys(_GLOBAL_POOLINGS, "tf.keras.layers.Lambda with tf.reduce_mean or tf.reduce_max"),
        **dict.fromkeys(
            ("RNN", "LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell"), f"{_OWN} with a loop over time"
        ),
        "Identity": "tf.keras.layers.Layer, whose call returns its inputs",
        "Masking": "a mask of your own, from tf.not_equal",
        "Rescaling": "tf.keras.layers.Lambda with a product and a sum",
    },
    otherwise=_OWN,
)
