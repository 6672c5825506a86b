"""`python -m tfcompat`."""

import sys

from tfcompat._tools._cli import main


def _status_of(ended):
    """The status with which Python exits after a SystemExit; text is printed."""
    if ended.code is None or isinstance(ended.code, int):
        return (ended.code or 0) & 0xFF
    print(ended.code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as ended:
        tiers = sys.modules.get("tfcompat.engine.compile.tiers")
        if tiers is not None and tiers.is_compiling() and not sys.flags.interactive:
            tiers.leave(_status_of(ended))
        raise
