"""`tf.experimental.dtensor`: tensors spread over a mesh of devices; each is an array with a `NamedSharding` of JAX's.

XLA divides the programs that use them, and says how their results are spread.
"""

from tfcompat._package.missing import missing as _missing
from tfcompat.experimental.dtensor._api import call_with_layout as call_with_layout
from tfcompat.experimental.dtensor._api import check_layout as check_layout
from tfcompat.experimental.dtensor._api import copy_to_mesh as copy_to_mesh
from tfcompat.experimental.dtensor._api import default_mesh as default_mesh
from tfcompat.experimental.dtensor._api import device_name as device_name
from tfcompat.experimental.dtensor._api import fetch_layout as fetch_layout
from tfcompat.experimental.dtensor._api import get_default_mesh as get_default_mesh
from tfcompat.experimental.dtensor._api import is_dtensor as is_dtensor
from tfcompat.experimental.dtensor._api import pack as pack
from tfcompat.experimental.dtensor._api import relayout as relayout
from tfcompat.experimental.dtensor._api import relayout_like as relayout_like
from tfcompat.experimental.dtensor._api import run_on as run_on
from tfcompat.experimental.dtensor._api import unpack as unpack
from tfcompat.experimental.dtensor._clients import client_id as client_id
from tfcompat.experimental.dtensor._clients import full_job_name as full_job_name
from tfcompat.experimental.dtensor._clients import heartbeat_enabled as heartbeat_enabled
from tfcompat.experimental.dtensor._clients import initialize_accelerator_system as initialize_accelerator_system
from tfcompat.experimental.dtensor._clients import job_name as job_name
from tfcompat.experimental.dtensor._clients import jobs as jobs
from tfcompat.experimental.dtensor._clients import local_devices as local_devices
from tfcompat.experimental.dtensor._clients import num_clients as num_clients
from tfcompat.experimental.dtensor._clients import num_global_devices as num_global_devices
from tfcompat.experimental.dtensor._clients import num_local_devices as num_local_devices
from tfcompat.experimental.dtensor._clients import preferred_device_type as preferred_device_type
from tfcompat.experimental.dtensor._clients import shutdown_accelerator_system as shutdown_accelerator_system
from tfcompat.experimental.dtensor._dataset import DTensorDataset as DTensorDataset
from tfcompat.experimental.dtensor._layout import MATCH as MATCH
from tfcompat.experimental.dtensor._layout import UNSHARDED as UNSHARDED
from tfcompat.experimental.dtensor._layout import Layout as Layout
from tfcompat.experimental.dtensor._mesh import Mesh as Mesh
from tfcompat.experimental.dtensor._mesh import barrier as barrier
from tfcompat.experimental.dtensor._mesh import create_distributed_mesh as create_distributed_mesh
from tfcompat.experimental.dtensor._mesh import create_mesh as create_mesh
from tfcompat.experimental.dtensor._variable import DTensorCheckpoint as DTensorCheckpoint
from tfcompat.experimental.dtensor._variable import DVariable as DVariable

initialize_multi_client = initialize_tpu_system = initialize_accelerator_system
shutdown_tpu_system = shutdown_accelerator_system

_CHECKPOINTS = "tf.experimental.dtensor.DTensorCheckpoint, which saves and restores DVariables"

__getattr__ = _missing(
    "tf.experimental.dtensor",
    hints={
        "create_tpu_mesh": "create_mesh, with the devices in the order that you want",
        "enable_save_as_bf16": "tf.cast on the values before they are saved",
        "name_based_restore": _CHECKPOINTS,
        "name_based_save": _CHECKPOINTS,
        "sharded_save": _CHECKPOINTS,
    },
    otherwise="jax.sharding on the arrays",
)
