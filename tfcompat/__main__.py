"""`python -m tfcompat`."""

import sys

from tfcompat._cli import main

if __name__ == "__main__":
    sys.exit(main())
