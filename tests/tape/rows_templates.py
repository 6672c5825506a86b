"""Rows: `tf.compat.v1.make_template`, and the scopes and variables of `tf.compat.v1` that go with it."""

import functools

from rows import row

from .rows_compat_v1 import each


def in_scope(function):
    """The row in a scope of its own, where names of scopes start afresh however often it runs."""

    @functools.wraps(function)
    def run(tf, np):
        with tf.compat.v1.variable_scope("row"):
            return function(tf, np)

    return run


def net_of(v1, tf):
    """A function for templates: a product with one variable, in a scope of its own, plus one that does not train."""

    def net(x, units=2):
        with v1.variable_scope("inner"):
            w = v1.get_variable("w", [x.shape[-1], units], initializer=v1.constant_initializer(0.5))
        b = v1.get_variable("b", [units], initializer=v1.zeros_initializer(), trainable=False)
        return tf.linalg.matmul(x, w) + b

    return net


def names(variables):
    return [variable.name for variable in variables]


@row
@in_scope
def variables_of_templates(tf, np):
    v1 = tf.compat.v1
    net, x = net_of(v1, tf), tf.ones([2, 4])
    first = v1.make_template("net", net, units=3)
    found = [first.name, first.variable_scope is None, first.variable_scope_name, first.variables]
    found += [first(x), first(2 * x), names(first.variables), names(first.trainable_variables)]
    found += [names(first.non_trainable_weights), names(first.global_variables), first.local_variables]
    found += [first.variable_scope_name, first.variable_scope.name]
    second = v1.make_template("net", net)
    found += [second(x), names(second.variables)]
    for _ in range(2):
        with v1.variable_scope("outer"):
            third = v1.make_template("net", net)
            found += [third(x), names(third.weights)]
    now = v1.make_template("now", net, create_scope_now_=True)
    with v1.variable_scope("outer"):
        found += [now(x), now(x), names(now.variables), now.var_scope.name]
    return found


@row
@in_scope
def templates_in_templates(tf, np):
    v1 = tf.compat.v1
    net, x = net_of(v1, tf), tf.ones([2, 4])

    def outer(x):
        with v1.variable_scope(None, default_name="d"):
            p = v1.get_variable("p", [], initializer=v1.ones_initializer())
        with v1.variable_scope(None, default_name="d"):
            q = v1.get_variable("q", [], initializer=v1.ones_initializer())
        return v1.make_template("a", net)(x) * p * q

    template = v1.make_template("nest", outer)
    return [template(x), template(x), names(template.variables)]


@row
@in_scope
def errors_of_templates(tf, np):
    v1 = tf.compat.v1
    net, count = net_of(v1, tf), []

    def grow():
        count.append(1)
        return v1.get_variable(f"v{len(count)}", [], initializer=v1.zeros_initializer())

    grows, shared = v1.make_template("grow", grow), v1.make_template("shared", net)
    grows()
    shared(tf.ones([2, 4]))
    return each(
        tf,
        lambda: v1.make_template(None, net),
        lambda: v1.make_template("u", net, unique_name_="z"),
        lambda: shared(tf.ones([2, 5])),
        lambda: v1.make_template("z", lambda: v1.get_variable("a"))(),
        grows,
        lambda: names(grows.variables),
        lambda: v1.make_template("d", lambda: v1.get_variable("v", []) is v1.get_variable("v", []))(),
        lambda: v1.get_variable("alone", []) is v1.get_variable("alone", []),
    )


@row
@in_scope
def templates_that_train(tf, np):
    v1 = tf.compat.v1
    x, losses = tf.ones([2, 4]), []
    template = v1.make_template("tr", net_of(v1, tf), units=1)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            losses.append(tf.reduce_mean((template(x) - 1.0) ** 2))
        gradients = tape.gradient(losses[-1], template.trainable_variables)
        optimizer.apply_gradients(zip(gradients, template.trainable_variables, strict=True))
    inside = v1.make_template("inside", net_of(v1, tf))
    twice = tf.function(lambda x: inside(x) + inside(x))
    return losses, tf.function(template)(x), twice(x), twice(x), names(inside.variables)


@row
@in_scope
def templates_in_checkpoints(tf, np):
    import tempfile

    v1 = tf.compat.v1
    net, x = net_of(v1, tf), tf.ones([2, 4])

    def outer(x):
        return v1.make_template("a", net)(x) + v1.get_variable("c", [], initializer=v1.ones_initializer())

    saved = v1.make_template("saved", outer)
    saved(x)
    for variable in saved.variables:
        variable.assign_add(tf.ones_like(variable))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(t=saved).save(f"{folder}/c")
        keys = sorted(key for key, _ in tf.train.list_variables(path))
        fresh = v1.make_template("saved", outer)
        status = tf.train.Checkpoint(t=fresh).restore(path)
        result = fresh(x)
        status.assert_existing_objects_matched()
    return keys, result, saved(x)


@row
@in_scope
def scopes_and_getters(tf, np):
    v1, seen = tf.compat.v1, []

    def getter(getter, name, *args, **kwargs):
        seen.append([name, sorted(kwargs)])
        return getter(name, *args, **kwargs)

    v1.make_template("got", net_of(v1, tf), custom_getter_=getter)(tf.ones([2, 4]))
    found = []
    for _ in range(2):
        with v1.variable_scope(None, default_name="dd") as scope:
            found.append(scope.name)
    with v1.variable_scope("dd") as outer, v1.variable_scope(None, default_name="dd") as scope:
        found += [scope.name, tf.Variable(1.0, name="plain").name, v1.get_variable("w", []).name]
    with v1.variable_scope(outer, reuse=v1.AUTO_REUSE, dtype=tf.float64) as scope:
        found += [scope.name, v1.get_variable("w", [2], initializer=v1.ones_initializer())]
        found.append(v1.get_variable("n", [2], tf.int32))
    return seen, found


@row
@in_scope
def dense_layers_of_templates(tf, np):
    v1 = tf.compat.v1
    layers = v1.layers

    def net(x):
        for units in (3, 2):
            x = layers.dense(x, units, tf.nn.relu, kernel_initializer=v1.ones_initializer())
        x = layers.dense(x, 1, use_bias=False, kernel_initializer="ones", name="last")
        return layers.flatten(layers.dropout(x[:, None]))

    template = v1.make_template("dense", net)
    x = tf.ones([2, 4], tf.float64)
    return template(x), template(x), names(template.trainable_variables), len(template.variables)
