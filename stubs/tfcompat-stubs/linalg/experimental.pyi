"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

def conjugate_gradient(operator, rhs, preconditioner=..., x=..., tol=..., max_iter=..., name=...): ...
