"""The package imports downward only: storeys.toml says what stands on what."""

import re

from . import imports
from .render_map import BEGIN, DESIGN, END, rendered

HIDDEN_SHARE = 0.01


def _heights():
    rooms = [room for storey in imports.storeys() for room in storey["rooms"]]
    assert len(rooms) == len(set(rooms)), "a room stands in two places"
    return {room: height for height, room in enumerate(rooms)}


def test_every_room_has_its_place():
    assert {imports.room(module) for module in imports.modules()} == set(_heights())


def test_imports_run_downward():
    heights = _heights()
    upward = [
        str(each)
        for each in imports.statements()[0]
        if heights[imports.room(each.imported)] > heights[imports.room(each.importer)]
    ]
    assert not upward, "\n".join(upward)


def test_no_modules_import_each_other_in_a_circle():
    assert not imports.circles(imports.statements()[0])


def test_imports_inside_functions_are_few_and_say_why():
    statements, total, hidden = imports.statements()
    assert hidden / total < HIDDEN_SHARE, f"{hidden} of {total}"
    silent = sorted({str(each) for each in statements if each.hidden and not each.reason})
    assert not silent, "\n".join(silent)


def test_what_is_imported_from_above_when_first_used_is_named():
    """`_package.lazy.importing` brings an upper storey to a lower one late: models, to whoever looks one up by name."""
    late = re.compile(r'^[^#\n]*\b_?importing\("([\w.]+)"\)', re.MULTILINE)
    links = {
        (module, name)
        for module, file in imports.modules().items()
        for name in late.findall(file.read_text(encoding="utf-8"))
    }
    assert links == {("tfcompat.layers", "tfcompat.keras")}


def test_only_the_storeys_that_derive_call_jax_for_derivatives():
    """An op is one JAX function; its VJP and JVP are derived by the engine, which knows `jax.vjp`."""
    ops = [room for storey in imports.storeys() if storey["name"].endswith("ops") for room in storey["rooms"]]
    calls = re.compile(r"\bjax\.(vjp|jvp|grad|value_and_grad|jacrev|jacfwd|linearize)\b")
    offenders = [
        module
        for module, file in imports.modules().items()
        if imports.room(module) in ops and calls.search(file.read_text(encoding="utf-8"))
    ]
    assert not offenders


def test_the_map_in_the_design_is_the_table():
    text = DESIGN.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == rendered(), "run python -m tests.architecture.render_map"
