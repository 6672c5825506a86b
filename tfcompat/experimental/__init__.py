"""`tf.experimental`: the NumPy interface, extension types, and values that may be missing."""

from tfcompat._extension_type._dispatch import dispatch_for_api as dispatch_for_api
from tfcompat._extension_type._dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tfcompat._extension_type._dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tfcompat._extension_type._dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tfcompat._extension_type._dispatch import unregister_dispatch_for as unregister_dispatch_for
from tfcompat._extension_type._types import BatchableExtensionType as BatchableExtensionType
from tfcompat._extension_type._types import ExtensionType as ExtensionType
from tfcompat._extension_type._types import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tfcompat._extension_type._types import ExtensionTypeSpec as ExtensionTypeSpec
from tfcompat._missing import missing as _missing
from tfcompat.data._iterator import Optional as Optional
from tfcompat.experimental import dtensor as dtensor
from tfcompat.experimental import extension_type as extension_type
from tfcompat.experimental import numpy as numpy

__getattr__ = _missing("tf.experimental")
