"""`tf.nn`: activations, losses, normalization, convolution, pooling."""

from tfcompat._package.missing import missing as _missing
from tfcompat.array._blocks import space_to_batch as space_to_batch
from tfcompat.math._activation import log_softmax as log_softmax
from tfcompat.math._activation import softmax as softmax
from tfcompat.math._activation import softplus as softplus
from tfcompat.math._activation import softsign as softsign
from tfcompat.math._count import zero_fraction as zero_fraction
from tfcompat.math._elementwise import sigmoid as sigmoid
from tfcompat.math._elementwise import tanh as tanh
from tfcompat.math._order import approx_max_k as approx_max_k
from tfcompat.math._order import approx_min_k as approx_min_k
from tfcompat.math._order import in_top_k as in_top_k
from tfcompat.math._order import top_k as top_k
from tfcompat.math._reduce import l2_normalize as l2_normalize
from tfcompat.nn import experimental as experimental
from tfcompat.nn._activation import crelu as crelu
from tfcompat.nn._activation import elu as elu
from tfcompat.nn._activation import gelu as gelu
from tfcompat.nn._activation import leaky_relu as leaky_relu
from tfcompat.nn._activation import relu as relu
from tfcompat.nn._activation import relu6 as relu6
from tfcompat.nn._activation import selu as selu
from tfcompat.nn._activation import silu as silu
from tfcompat.nn._activation import swish as swish
from tfcompat.nn._backprop import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from tfcompat.nn._backprop import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from tfcompat.nn._backprop import with_space_to_batch as with_space_to_batch
from tfcompat.nn._bias import bias_add as bias_add
from tfcompat.nn._conv import atrous_conv2d as atrous_conv2d
from tfcompat.nn._conv import atrous_conv2d_transpose as atrous_conv2d_transpose
from tfcompat.nn._conv import conv1d as conv1d
from tfcompat.nn._conv import conv1d_transpose as conv1d_transpose
from tfcompat.nn._conv import conv2d as conv2d
from tfcompat.nn._conv import conv2d_transpose as conv2d_transpose
from tfcompat.nn._conv import conv3d as conv3d
from tfcompat.nn._conv import conv3d_transpose as conv3d_transpose
from tfcompat.nn._conv import conv_transpose as conv_transpose
from tfcompat.nn._conv import convolution as convolution
from tfcompat.nn._conv import depthwise_conv2d as depthwise_conv2d
from tfcompat.nn._conv import separable_conv2d as separable_conv2d
from tfcompat.nn._ctc import collapse_repeated as collapse_repeated
from tfcompat.nn._ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from tfcompat.nn._ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tfcompat.nn._ctc import ctc_loss as ctc_loss
from tfcompat.nn._ctc import ctc_unique_labels as ctc_unique_labels
from tfcompat.nn._dropout import dropout as dropout
from tfcompat.nn._embedding import embedding_lookup as embedding_lookup
from tfcompat.nn._embedding import embedding_lookup_sparse as embedding_lookup_sparse
from tfcompat.nn._embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from tfcompat.nn._fractional import fractional_avg_pool as fractional_avg_pool
from tfcompat.nn._fractional import fractional_max_pool as fractional_max_pool
from tfcompat.nn._isotonic import isotonic_regression as isotonic_regression
from tfcompat.nn._loss import compute_average_loss as compute_average_loss
from tfcompat.nn._loss import l2_loss as l2_loss
from tfcompat.nn._loss import log_poisson_loss as log_poisson_loss
from tfcompat.nn._loss import scale_regularization_loss as scale_regularization_loss
from tfcompat.nn._loss import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from tfcompat.nn._loss import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from tfcompat.nn._loss import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tfcompat.nn._loss import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from tfcompat.nn._morphology import dilation2d as dilation2d
from tfcompat.nn._morphology import erosion2d as erosion2d
from tfcompat.nn._norm import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from tfcompat.nn._norm import batch_normalization as batch_normalization
from tfcompat.nn._norm import local_response_normalization as local_response_normalization
from tfcompat.nn._norm import lrn as lrn
from tfcompat.nn._norm import moments as moments
from tfcompat.nn._norm import normalize_moments as normalize_moments
from tfcompat.nn._norm import sufficient_statistics as sufficient_statistics
from tfcompat.nn._norm import weighted_moments as weighted_moments
from tfcompat.nn._pool import avg_pool as avg_pool
from tfcompat.nn._pool import avg_pool1d as avg_pool1d
from tfcompat.nn._pool import avg_pool2d as avg_pool2d
from tfcompat.nn._pool import avg_pool3d as avg_pool3d
from tfcompat.nn._pool import max_pool as max_pool
from tfcompat.nn._pool import max_pool1d as max_pool1d
from tfcompat.nn._pool import max_pool2d as max_pool2d
from tfcompat.nn._pool import max_pool3d as max_pool3d
from tfcompat.nn._pool import max_pool_with_argmax as max_pool_with_argmax
from tfcompat.nn._pool import pool as pool
from tfcompat.nn._sampled import nce_loss as nce_loss
from tfcompat.nn._sampled import sampled_softmax_loss as sampled_softmax_loss
from tfcompat.nn._space_and_depth import depth_to_space as depth_to_space
from tfcompat.nn._space_and_depth import space_to_depth as space_to_depth
from tfcompat.random._candidates import all_candidate_sampler as all_candidate_sampler
from tfcompat.random._candidates import compute_accidental_hits as compute_accidental_hits
from tfcompat.random._candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tfcompat.random._candidates import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler

_CELLS = "a cell of tf.keras.layers in a layer of your own"

__getattr__ = _missing(
    "tf.nn", hints=dict.fromkeys(["RNNCellDeviceWrapper", "RNNCellDropoutWrapper", "RNNCellResidualWrapper"], _CELLS)
)
