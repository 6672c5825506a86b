"""Other numbers of `engine._policy` for a while. Its groups are frozen; only tests change them."""
import contextlib


@contextlib.contextmanager
def steered(group, **numbers):
    """In the context, `group` (such as `_policy.COMPILING`) has these numbers."""
    before = {name: getattr(group, name) for name in numbers}
    try:
        for name, number in numbers.items():
            object.__setattr__(group, name, number)
        yield
    finally:
        for name, number in before.items():
            object.__setattr__(group, name, number)
