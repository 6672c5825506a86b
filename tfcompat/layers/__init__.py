"""Keras layers: `tf.keras.layers`. Models stand above, in `tfcompat.keras`."""

from tfcompat._package.lazy import importing as _importing
from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.layers._activation import ELU as ELU
from tfcompat.layers._activation import LeakyReLU as LeakyReLU
from tfcompat.layers._activation import PReLU as PReLU
from tfcompat.layers._activation import ReLU as ReLU
from tfcompat.layers._activation import Softmax as Softmax
from tfcompat.layers._activation import ThresholdedReLU as ThresholdedReLU
from tfcompat.layers._attention import AdditiveAttention as AdditiveAttention
from tfcompat.layers._attention import Attention as Attention
from tfcompat.layers._convolutional.convolution import Conv1D as Conv1D
from tfcompat.layers._convolutional.convolution import Conv1DTranspose as Conv1DTranspose
from tfcompat.layers._convolutional.convolution import Conv2D as Conv2D
from tfcompat.layers._convolutional.convolution import Conv2DTranspose as Conv2DTranspose
from tfcompat.layers._convolutional.convolution import Conv3D as Conv3D
from tfcompat.layers._convolutional.convolution import Conv3DTranspose as Conv3DTranspose
from tfcompat.layers._convolutional.locally_connected import LocallyConnected1D as LocallyConnected1D
from tfcompat.layers._convolutional.locally_connected import LocallyConnected2D as LocallyConnected2D
from tfcompat.layers._convolutional.separable_convolution import DepthwiseConv1D as DepthwiseConv1D
from tfcompat.layers._convolutional.separable_convolution import DepthwiseConv2D as DepthwiseConv2D
from tfcompat.layers._convolutional.separable_convolution import SeparableConv1D as SeparableConv1D
from tfcompat.layers._convolutional.separable_convolution import SeparableConv2D as SeparableConv2D
from tfcompat.layers._core import Activation as Activation
from tfcompat.layers._core import Dense as Dense
from tfcompat.layers._core import Embedding as Embedding
from tfcompat.layers._core import Identity as Identity
from tfcompat.layers._core import Lambda as Lambda
from tfcompat.layers._core import Masking as Masking
from tfcompat.layers._dense_features import DenseFeatures as DenseFeatures
from tfcompat.layers._einsum_dense import EinsumDense as EinsumDense
from tfcompat.layers._input import Input as Input
from tfcompat.layers._input import InputLayer as InputLayer
from tfcompat.layers._layer.input_spec import InputSpec as InputSpec
from tfcompat.layers._layer.layer import Layer as Layer
from tfcompat.layers._layer.registry import complete_by as _complete_by
from tfcompat.layers._layer.registry import deserialize as deserialize
from tfcompat.layers._layer.registry import register_keras_objects as _register_keras_objects
from tfcompat.layers._layer.registry import serialize as serialize
from tfcompat.layers._layer.wrapper import Wrapper as Wrapper
from tfcompat.layers._merging import Add as Add
from tfcompat.layers._merging import Average as Average
from tfcompat.layers._merging import Concatenate as Concatenate
from tfcompat.layers._merging import Dot as Dot
from tfcompat.layers._merging import Maximum as Maximum
from tfcompat.layers._merging import Minimum as Minimum
from tfcompat.layers._merging import Multiply as Multiply
from tfcompat.layers._merging import Subtract as Subtract
from tfcompat.layers._merging import add as add
from tfcompat.layers._merging import average as average
from tfcompat.layers._merging import concatenate as concatenate
from tfcompat.layers._merging import dot as dot
from tfcompat.layers._merging import maximum as maximum
from tfcompat.layers._merging import minimum as minimum
from tfcompat.layers._merging import multiply as multiply
from tfcompat.layers._merging import subtract as subtract
from tfcompat.layers._multi_head_attention import MultiHeadAttention as MultiHeadAttention
from tfcompat.layers._normalization.batch_normalization import BatchNormalization as BatchNormalization
from tfcompat.layers._normalization.group_normalization import GroupNormalization as GroupNormalization
from tfcompat.layers._normalization.layer_normalization import LayerNormalization as LayerNormalization
from tfcompat.layers._normalization.spectral_normalization import SpectralNormalization as SpectralNormalization
from tfcompat.layers._normalization.unit_normalization import UnitNormalization as UnitNormalization
from tfcompat.layers._pooling import AveragePooling1D as AveragePooling1D
from tfcompat.layers._pooling import AveragePooling2D as AveragePooling2D
from tfcompat.layers._pooling import AveragePooling3D as AveragePooling3D
from tfcompat.layers._pooling import GlobalAveragePooling1D as GlobalAveragePooling1D
from tfcompat.layers._pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from tfcompat.layers._pooling import GlobalAveragePooling3D as GlobalAveragePooling3D
from tfcompat.layers._pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from tfcompat.layers._pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from tfcompat.layers._pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from tfcompat.layers._pooling import MaxPooling1D as MaxPooling1D
from tfcompat.layers._pooling import MaxPooling2D as MaxPooling2D
from tfcompat.layers._pooling import MaxPooling3D as MaxPooling3D
from tfcompat.layers._preprocessing.augmentation import RandomBrightness as RandomBrightness
from tfcompat.layers._preprocessing.augmentation import RandomContrast as RandomContrast
from tfcompat.layers._preprocessing.augmentation import RandomFlip as RandomFlip
from tfcompat.layers._preprocessing.augmentation import RandomRotation as RandomRotation
from tfcompat.layers._preprocessing.augmentation import RandomTranslation as RandomTranslation
from tfcompat.layers._preprocessing.augmentation import RandomZoom as RandomZoom
from tfcompat.layers._preprocessing.categories import CategoryEncoding as CategoryEncoding
from tfcompat.layers._preprocessing.categories import Discretization as Discretization
from tfcompat.layers._preprocessing.categories import HashedCrossing as HashedCrossing
from tfcompat.layers._preprocessing.categories import Hashing as Hashing
from tfcompat.layers._preprocessing.image_sizes import CenterCrop as CenterCrop
from tfcompat.layers._preprocessing.image_sizes import RandomCrop as RandomCrop
from tfcompat.layers._preprocessing.image_sizes import RandomHeight as RandomHeight
from tfcompat.layers._preprocessing.image_sizes import RandomWidth as RandomWidth
from tfcompat.layers._preprocessing.image_sizes import Resizing as Resizing
from tfcompat.layers._preprocessing.lookup import IntegerLookup as IntegerLookup
from tfcompat.layers._preprocessing.lookup import StringLookup as StringLookup
from tfcompat.layers._preprocessing.normalization import Normalization as Normalization
from tfcompat.layers._preprocessing.rescaling import Rescaling as Rescaling
from tfcompat.layers._preprocessing.text import TextVectorization as TextVectorization
from tfcompat.layers._regularization import ActivityRegularization as ActivityRegularization
from tfcompat.layers._regularization import AlphaDropout as AlphaDropout
from tfcompat.layers._regularization import Dropout as Dropout
from tfcompat.layers._regularization import GaussianDropout as GaussianDropout
from tfcompat.layers._regularization import GaussianNoise as GaussianNoise
from tfcompat.layers._regularization import SpatialDropout1D as SpatialDropout1D
from tfcompat.layers._regularization import SpatialDropout2D as SpatialDropout2D
from tfcompat.layers._regularization import SpatialDropout3D as SpatialDropout3D
from tfcompat.layers._reshaping import Cropping1D as Cropping1D
from tfcompat.layers._reshaping import Cropping2D as Cropping2D
from tfcompat.layers._reshaping import Cropping3D as Cropping3D
from tfcompat.layers._reshaping import Flatten as Flatten
from tfcompat.layers._reshaping import Permute as Permute
from tfcompat.layers._reshaping import RepeatVector as RepeatVector
from tfcompat.layers._reshaping import Reshape as Reshape
from tfcompat.layers._reshaping import UpSampling1D as UpSampling1D
from tfcompat.layers._reshaping import UpSampling2D as UpSampling2D
from tfcompat.layers._reshaping import UpSampling3D as UpSampling3D
from tfcompat.layers._reshaping import ZeroPadding1D as ZeroPadding1D
from tfcompat.layers._reshaping import ZeroPadding2D as ZeroPadding2D
from tfcompat.layers._reshaping import ZeroPadding3D as ZeroPadding3D
from tfcompat.layers._rnn.cells import AbstractRNNCell as AbstractRNNCell
from tfcompat.layers._rnn.cells import GRUCell as GRUCell
from tfcompat.layers._rnn.cells import LSTMCell as LSTMCell
from tfcompat.layers._rnn.cells import SimpleRNNCell as SimpleRNNCell
from tfcompat.layers._rnn.cells import StackedRNNCells as StackedRNNCells
from tfcompat.layers._rnn.conv_lstm import ConvLSTM1D as ConvLSTM1D
from tfcompat.layers._rnn.conv_lstm import ConvLSTM2D as ConvLSTM2D
from tfcompat.layers._rnn.conv_lstm import ConvLSTM3D as ConvLSTM3D
from tfcompat.layers._rnn.recurrent import RNN as RNN
from tfcompat.layers._rnn.recurrent_kinds import GRU as GRU
from tfcompat.layers._rnn.recurrent_kinds import LSTM as LSTM
from tfcompat.layers._rnn.recurrent_kinds import SimpleRNN as SimpleRNN
from tfcompat.layers._rnn.wrappers import Bidirectional as Bidirectional
from tfcompat.layers._rnn.wrappers import TimeDistributed as TimeDistributed

# These record what is called on KerasTensors.
from tfcompat.layers._symbolic import attribute_layers as _attribute_layers  # noqa: F401
from tfcompat.layers._symbolic import op_layers as _op_layers  # noqa: F401

_OWN = "a subclass of tf.keras.layers.Layer"
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
Convolution1DTranspose = Conv1DTranspose
Convolution2DTranspose = Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D

_register_keras_objects(
    "layer", {name: value for name, value in globals().items() if isinstance(value, type) and issubclass(value, Layer)}
)
# Configurations of layers may hold models, which register themselves there.
_complete_by(_importing("tfcompat.keras"))

_absent = _missing("tf.keras.layers", otherwise=_OWN)
__getattr__, __dir__ = _lazy(
    globals(), ["experimental"], {}, _absent, inner=("activations", "constraints", "initializers", "regularizers")
)
