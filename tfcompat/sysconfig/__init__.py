"""`tf.sysconfig`: what the installed build is: Python on JAX, nothing to compile or link against."""

from tfcompat._package.missing import missing as _missing
from tfcompat.sysconfig._build import get_build_info as get_build_info

_OWN_CODE = "jax.ffi for your own code, or tfcompat.from_jax: tfcompat has no C++ library"

__getattr__ = _missing(
    "tf.sysconfig",
    hints=dict.fromkeys(
        "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_compile_flags get_include get_lib get_link_flags".split(),
        _OWN_CODE,
    ),
)
