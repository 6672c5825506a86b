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


@contextlib.contextmanager
def interpreted_for(runs):
    """In the context, programs are interpreted for so many runs, then compiled. Those of before are given up, and so
    are those of the context at its end: a program keeps what was decided for it."""
    from tfcompat.engine import _policy

    usual = _policy.interpreted_runs
    try:
        _give_up_programs()
        _policy.interpreted_runs = lambda *_: runs
        yield
    finally:
        _policy.interpreted_runs = usual
        _give_up_programs()


def _give_up_programs():
    from tfcompat.engine import _program

    for program in list(_program.programs):
        program.forget()
