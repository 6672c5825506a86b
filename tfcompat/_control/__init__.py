"""Control flow over tensors: cond, case, while_loop, map_fn, scan, vectorized_map; and calls back to Python.

Outside of functions these are plain Python, which tapes see op by op. Inside a `tf.function` branches and bodies are
captured, and become `lax.cond`, `lax.while_loop` and `lax.scan`. Variables that they assign are results of these.
"""
from tfcompat._control._branches import case as case
from tfcompat._control._branches import cond as cond
from tfcompat._control._branches import switch_case as switch_case
from tfcompat._control._fold import foldl as foldl
from tfcompat._control._fold import foldr as foldr
from tfcompat._control._fold import scan as scan
from tfcompat._control._host import numpy_function as numpy_function
from tfcompat._control._host import py_function as py_function
from tfcompat._control._loops import while_loop as while_loop
from tfcompat._control._map import map_fn as map_fn
from tfcompat._control._map import vectorized_map as vectorized_map
from tfcompat._control._order import control_dependencies as control_dependencies
from tfcompat._control._order import group as group
from tfcompat._control._order import no_op as no_op
from tfcompat._control._order import tuple_ as tuple_
