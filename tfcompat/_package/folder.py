"""Where this package lies, to tell its own frames from a program's."""

import os

PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
