"""Deferred execution: operations are recorded, and what is pending runs as one compiled program.

This package runs things. It knows arrays and graphs, nothing of TensorFlow's API.
"""
import os as _os

from tfcompat.engine import _interrupts
from tfcompat.engine import conditions as conditions
from tfcompat.engine import processes as processes
from tfcompat.engine import replicas as replicas
from tfcompat.engine._aval import NO_ATTRIBUTES as NO_ATTRIBUTES
from tfcompat.engine._aval import Attributes as Attributes
from tfcompat.engine._aval import Aval as Aval
from tfcompat.engine._aval import TupleAval as TupleAval
from tfcompat.engine._aval import attributes_of as attributes_of
from tfcompat.engine._batching import vmapped as vmapped
from tfcompat.engine._bind import Call as Call
from tfcompat.engine._bind import Operation as Operation
from tfcompat.engine._bind import made_once as made_once
from tfcompat.engine._capture import Capture as Capture
from tfcompat.engine._conditions_of_derivatives import marked as marked
from tfcompat.engine._dependence import of_branches as of_branches
from tfcompat.engine._flush import flush as flush
from tfcompat.engine._forked import is_forked as is_forked
from tfcompat.engine._gathering import Gathering as Gathering
from tfcompat.engine._graph import SHARED as SHARED
from tfcompat.engine._graph import Graph as Graph
from tfcompat.engine._graph import Node as Node
from tfcompat.engine._graph import SymbolicValueError as SymbolicValueError
from tfcompat.engine._graph import function_trace as function_trace
from tfcompat.engine._graph import immediate as immediate
from tfcompat.engine._graph import leaf as leaf
from tfcompat.engine._graph import set_default_mode as set_default_mode
from tfcompat.engine._graph import shared_leaf as shared_leaf
from tfcompat.engine._graph import state as state
from tfcompat.engine._parts import Part as Part
from tfcompat.engine._player import is_cold as is_cold
from tfcompat.engine._player import play as play
from tfcompat.engine._player import played_on_host as played_on_host
from tfcompat.engine._player import plays as plays
from tfcompat.engine._policy import period as period
from tfcompat.engine._program import needed_steps as needed_steps
from tfcompat.engine._program import program_behind as program_behind
from tfcompat.engine._program import programs_run as programs_run
from tfcompat.engine._program import stats as stats
from tfcompat.engine._record import apply as apply
from tfcompat.engine._record import apply_known as apply_known
from tfcompat.engine._record import array_of as array_of
from tfcompat.engine._record import assigned as assigned
from tfcompat.engine._record import cut as cut
from tfcompat.engine._record import cut_before_assignment as cut_before_assignment
from tfcompat.engine._record import eager_scope as eager_scope
from tfcompat.engine._record import execution_mode as execution_mode
from tfcompat.engine._record import looking_inside as looking_inside
from tfcompat.engine._record import meet as meet
from tfcompat.engine._record import next_iteration as next_iteration
from tfcompat.engine._record import record as record
from tfcompat.engine._record import run_at_once as run_at_once
from tfcompat.engine._record import value_of as value_of
from tfcompat.engine._record import watching as watching
from tfcompat.engine._refused_derivatives import refusing as refusing
from tfcompat.engine._sizes import depend_on_sizes as depend_on_sizes
from tfcompat.engine._sizes import has_symbols as has_symbols
from tfcompat.engine._sizes import keeping_sizes as keeping_sizes
from tfcompat.engine._sizes import known_sizes as known_sizes
from tfcompat.engine._sizes import sizes_known as sizes_known
from tfcompat.engine._sizes import with_sizes as with_sizes
from tfcompat.engine._steps import call_for_sizes as call_for_sizes
from tfcompat.engine._steps import called as called
from tfcompat.engine._steps import note_sizes as note_sizes
from tfcompat.engine._steps import played as played
from tfcompat.engine._steps import record_step as record_step
from tfcompat.engine._steps import recorded_again as recorded_again
from tfcompat.engine._steps import recorded_call as recorded_call
from tfcompat.engine._structure import Wiring as Wiring
from tfcompat.engine._unfit import fails_for_all_sizes as fails_for_all_sizes
from tfcompat.engine._unfit import fails_for_other_sizes as fails_for_other_sizes
from tfcompat.engine._unfit import is_of_symbols as is_of_symbols
from tfcompat.engine._unfit import wrong_for_all_sizes as wrong_for_all_sizes
from tfcompat.engine.compile import cache as _cache
from tfcompat.engine.compile import memory as _memory
from tfcompat.engine.compile import modules as _modules
from tfcompat.engine.compile.rolling import Row as Row
from tfcompat.engine.compile.rolling import row_value as row_value
from tfcompat.engine.compile.rolling import stacked as stacked
from tfcompat.engine.conditions import errors_are_made_by as errors_are_made_by
from tfcompat.engine.conditions import note_assignment as note_assignment
from tfcompat.engine.conditions import require as require
from tfcompat.engine.host.shelf import OWN as _OWN
from tfcompat.engine.host.shelf import SHELF as _SHELF
from tfcompat.engine.report import history as history
from tfcompat.engine.report.explain import explain as explain
from tfcompat.engine.report.explain import explains as explains
from tfcompat.engine.report.explain import say as say
from tfcompat.engine.report.history import debug as debug
from tfcompat.engine.report.programs import last_program as last_program
from tfcompat.engine.report.programs import programs as programs

_memory.keep()
_interrupts.keep()
_folder = _cache.configure(_os.environ.get("TFCOMPAT_CACHE"))
if _folder is not None:
    _SHELF.keep_in(_folder)
    _OWN.keep_in(_folder)
    _modules.keep_in(_folder)
if _os.environ.get("TFCOMPAT_DEBUG", "") not in ("", "0"):
    debug()
