"""Made by stubs/render.py."""
import typing as _t

def __getattr__(name: str) -> _t.Any: ...
