"""`tape.draw`: what is in the picture, and how large graphs are folded."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.tape._explain import layout as _layout

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing):
    """The first line of each box, by class."""
    root = ElementTree.fromstring(drawing.svg)
    return [(g.get("class"), g.find(f"{SVG}text").text) for g in root.iter(f"{SVG}g")]


def rectangles(drawing):
    root = ElementTree.fromstring(drawing.svg)
    boxes = [g.find(f"{SVG}rect") for g in root.iter(f"{SVG}g")]
    return [tuple(float(b.get(key)) for key in ("x", "y", "width", "height")) for b in boxes]


def small():
    w, x = tf.Variable(np.ones((3, 2), np.float32), name="w"), tf.constant(np.ones((4, 3), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.relu(x @ w) * 2.0)
        z = tf.exp(w)
    return tape, y, z


def test_picture_shows_sources_operations_and_target(tmp_path):
    tape, y, _ = small()
    drawing = tape.draw(y)
    assert texts(drawing) == [
        ("tensor", "tensor"), ("variable", "w:0"), ("operation", "MatMul"), ("operation", "Relu"), ("operation", "Mul"),
        ("target", "Sum"),
    ]  # fmt: skip
    assert drawing.svg.count("<path ") == 5
    assert (drawing.operations, drawing.boxes) == (4, 6)
    assert drawing._repr_svg_() == drawing.save(tmp_path / "tape.svg").read_text() == drawing.svg
    assert "http" not in drawing.svg.replace("http://www.w3.org/2000/svg", "")  # nothing from outside
    assert ("operation", "Exp") in texts(tape.draw())
    assert tape.gradient(y, tape.watched_variables()) != [None]  # it uses nothing up


def test_boxes_do_not_overlap():
    tape, y, _ = small()
    for (x0, y0, w0, h0), (x1, y1, w1, h1) in itertools.combinations(rectangles(tape.draw()), 2):
        assert x0 + w0 <= x1 or x1 + w1 <= x0 or y0 + h0 <= y1 or y1 + h1 <= y0


def test_layout_of_many_crossing_arrows_keeps_its_promises():
    boxes = [_layout.Box([f"box {i}"], "operation") for i in range(30)]
    arrows = {(i, j) for i in range(30) for j in range(i + 1, 30) if (i * 7 + j * 3) % 5 == 0}
    picture = _layout.svg(boxes, arrows)
    assert picture.count("<path ") == len(arrows)
    assert all(boxes[i].layer < boxes[j].layer for i, j in arrows)
    for a, b in itertools.combinations(boxes, 2):
        assert a.layer != b.layer or abs(a.x - b.x) >= (a.width + b.width) / 2


def test_long_loops_are_folded():
    w, h = tf.Variable([[0.5, 0.1], [0.2, 0.3]], name="w"), tf.ones([1, 2])
    with tf.GradientTape(persistent=True) as tape:
        for _ in range(100):
            h = tf.tanh(h @ w)
    drawing = tape.draw(h)
    assert drawing.operations == 200
    assert drawing.boxes <= 61
    assert drawing.svg.count("with w:0") == drawing.boxes - 2  # one arrow, then its name
    assert re.search(r"\d+ operations", drawing.svg)
    assert "TFCOMPAT_DEBUG=1 they are folded by name scope" in repr(drawing)
    assert tape.draw(h, max_boxes=1000).boxes == 201


def test_layers_are_boxes_while_debugging():
    engine.debug()
    try:
        layers = [tf.keras.layers.Dense(2, name=f"part_{i}") for i in range(3)]
        h = tf.ones([1, 2])
        with tf.GradientTape(persistent=True) as tape:
            for layer in layers:
                h = layer(h)
            y = tf.reduce_sum(h)
        drawing = tape.draw(y, max_boxes=5)
        assert [text for kind, text in texts(drawing) if kind == "folded"] == ["part_0", "part_1", "part_2"]
        assert "test_draw.py:" in drawing.svg
    finally:
        engine.debug(False)


def test_used_up_tape_has_no_picture():
    with tf.GradientTape() as tape:
        y = tf.Variable(1.0) * 2.0
    tape.gradient(y, tape.watched_variables())
    with pytest.raises(RuntimeError, match="used up"):
        tape.draw()
