"""A backward walk that was seen before is taken for no other."""

import itertools

import tfcompat as tf


def test_targets_are_not_taken_for_sources():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    nodes = {"x": x, "y": y, "z": z}
    derivatives = {("z", "x"): 12.0, ("z", "y"): 2.0, ("y", "x"): 4.0} | {(name, name): 1.0 for name in nodes}
    chosen = ["z", "zy", "yz", "yx", "zyx"]
    for _, targets, sources in itertools.product(range(2), chosen, ["x", "y", "yx", "xy", "zyx"]):
        gradients = tape.gradient([nodes[t] for t in targets], [nodes[s] for s in sources])
        expected = [sum(derivatives.get((t, s), 0.0) for t in targets) for s in sources]
        assert [0.0 if g is None else float(g) for g in gradients] == expected, (targets, sources)
