"""tensorflow/python/eager/def_function.py."""
from tfcompat.config import functions_run_eagerly as functions_run_eagerly
from tfcompat.config import run_functions_eagerly as run_functions_eagerly
from tfcompat.function import function as function
from tfcompat.function._function import Function as Function
