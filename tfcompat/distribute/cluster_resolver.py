"""`tf.distribute.cluster_resolver`: where the processes of a program are."""

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute._cluster import ClusterResolver as ClusterResolver
from tfcompat.distribute._cluster import SimpleClusterResolver as SimpleClusterResolver
from tfcompat.distribute._cluster import TFConfigClusterResolver as TFConfigClusterResolver
from tfcompat.distribute._cluster import UnionResolver as UnionResolver
from tfcompat.distribute._schedulers import KubernetesClusterResolver as KubernetesClusterResolver
from tfcompat.distribute._schedulers import KubernetesExecutableLocation as KubernetesExecutableLocation
from tfcompat.distribute._schedulers import SlurmClusterResolver as SlurmClusterResolver
from tfcompat.distribute._tpu_cluster import TPUClusterResolver as TPUClusterResolver

__getattr__ = _missing("tf.distribute.cluster_resolver", otherwise="SimpleClusterResolver, or TF_CONFIG")
