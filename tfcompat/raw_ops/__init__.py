"""`tf.raw_ops`: the ops that have a public function, under their own names; keyword arguments only."""

from tfcompat._package.missing import missing as _missing
from tfcompat.raw_ops._from_table import FUNCTIONS as _FUNCTIONS
from tfcompat.raw_ops._variables import ResourceApplyGradientDescent as ResourceApplyGradientDescent
from tfcompat.raw_ops._variables import ResourceApplyKerasMomentum as ResourceApplyKerasMomentum
from tfcompat.raw_ops._variables import ResourceApplyMomentum as ResourceApplyMomentum
from tfcompat.raw_ops._variables import ResourceApplyProximalAdagrad as ResourceApplyProximalAdagrad
from tfcompat.raw_ops._variables import ResourceScatterAdd as ResourceScatterAdd
from tfcompat.raw_ops._variables import ResourceScatterSub as ResourceScatterSub
from tfcompat.raw_ops._variables import ResourceScatterUpdate as ResourceScatterUpdate
from tfcompat.raw_ops._variables import ResourceSparseApplyKerasMomentum as ResourceSparseApplyKerasMomentum
from tfcompat.raw_ops._written import BlockLSTM as BlockLSTM
from tfcompat.raw_ops._written import BlockLSTMV2 as BlockLSTMV2
from tfcompat.raw_ops._written import BroadcastGradientArgs as BroadcastGradientArgs
from tfcompat.raw_ops._written import Bucketize as Bucketize
from tfcompat.raw_ops._written import CudnnRNN as CudnnRNN
from tfcompat.raw_ops._written import CudnnRNNV3 as CudnnRNNV3
from tfcompat.raw_ops._written import FusedBatchNormV2 as FusedBatchNormV2
from tfcompat.raw_ops._written import IgammaGradA as IgammaGradA
from tfcompat.raw_ops._written import ImageProjectiveTransformV3 as ImageProjectiveTransformV3
from tfcompat.raw_ops._written import RandomGammaGrad as RandomGammaGrad
from tfcompat.raw_ops._written import UniqueV2 as UniqueV2
from tfcompat.raw_ops._written import UniqueWithCountsV2 as UniqueWithCountsV2

globals().update(_FUNCTIONS)

__getattr__ = _missing("tf.raw_ops", otherwise="the public function of this op")
