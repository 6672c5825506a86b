"""`tf.experimental`: the NumPy interface, extension types, and values that may be missing."""

from tfcompat._core.extension_type.dispatch import dispatch_for_api as dispatch_for_api
from tfcompat._core.extension_type.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tfcompat._core.extension_type.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tfcompat._core.extension_type.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tfcompat._core.extension_type.dispatch import unregister_dispatch_for as unregister_dispatch_for
from tfcompat._core.extension_type.types import BatchableExtensionType as BatchableExtensionType
from tfcompat._core.extension_type.types import ExtensionType as ExtensionType
from tfcompat._core.extension_type.types import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tfcompat._core.extension_type.types import ExtensionTypeSpec as ExtensionTypeSpec
from tfcompat._package.missing import missing as _missing
from tfcompat.data._iterator import Optional as Optional
from tfcompat.experimental import dlpack as dlpack
from tfcompat.experimental import dtensor as dtensor
from tfcompat.experimental import extension_type as extension_type
from tfcompat.experimental import numpy as numpy
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from tfcompat.ragged._row_partition import RowPartition as RowPartition
from tfcompat.ragged._structured import StructuredTensor as StructuredTensor

__getattr__ = _missing("tf.experimental")
