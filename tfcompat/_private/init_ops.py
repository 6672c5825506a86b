"""tensorflow/python/ops/init_ops.py: the initializers of `tf.compat.v1`."""
from tfcompat.compat._initializers import Constant as Constant
from tfcompat.compat._initializers import GlorotNormal as GlorotNormal
from tfcompat.compat._initializers import GlorotUniform as GlorotUniform
from tfcompat.compat._initializers import Identity as Identity
from tfcompat.compat._initializers import Initializer as Initializer
from tfcompat.compat._initializers import Ones as Ones
from tfcompat.compat._initializers import Orthogonal as Orthogonal
from tfcompat.compat._initializers import RandomNormal as RandomNormal
from tfcompat.compat._initializers import RandomUniform as RandomUniform
from tfcompat.compat._initializers import TruncatedNormal as TruncatedNormal
from tfcompat.compat._initializers import UniformUnitScaling as UniformUnitScaling
from tfcompat.compat._initializers import VarianceScaling as VarianceScaling
from tfcompat.compat._initializers import Zeros as Zeros
from tfcompat.compat._initializers import he_normal as he_normal
from tfcompat.compat._initializers import he_uniform as he_uniform
from tfcompat.compat._initializers import lecun_normal as lecun_normal
from tfcompat.compat._initializers import lecun_uniform as lecun_uniform

constant_initializer = Constant
glorot_normal_initializer = GlorotNormal
glorot_uniform_initializer = GlorotUniform
identity_initializer = Identity
ones_initializer = Ones
orthogonal_initializer = Orthogonal
random_normal_initializer = RandomNormal
random_uniform_initializer = RandomUniform
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
zeros_initializer = Zeros
