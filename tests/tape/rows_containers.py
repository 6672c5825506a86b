"""Lists, dicts and tuples in attributes of modules, layers, models and checkpoints, and checkpoints of them."""

import collections
import copy
import json
import pickle

from rows import raised, row, row_for

Pair = collections.namedtuple("Pair", "a b")

HOLDERS = {
    "module": lambda tf: tf.Module(),
    "layer": lambda tf: tf.keras.layers.Layer(),
    "model": lambda tf: tf.keras.Model(),
    "sequential": lambda tf: tf.keras.Sequential(),
    "checkpoint": lambda tf: tf.train.Checkpoint(),
}
VALUES = {
    "numbers": lambda v: [1, 2],
    "variables": lambda v: [v],
    "nested": lambda v: [[1], {"a": (1, [2])}],
    "empty": lambda v: [],
    "dict": lambda v: {"a": 1, "b": "c"},
    "numbers_as_keys": lambda v: {2: "b", 1: 3},
    "dict_of_lists": lambda v: {"a": [v], "b": {"c": (v, 1)}},
    "ordered": lambda v: collections.OrderedDict(a=1),
    "default": lambda v: collections.defaultdict(list),
    "tuple": lambda v: (1, 2),
    "tuple_of_variables": lambda v: (v, 2),
    "tuple_in_tuple": lambda v: (1, (2, [3])),
    "named": lambda v: Pair(1, 2),
    "named_with_variable": lambda v: Pair(1, v),
    "set": lambda v: {1},
    "list_class": lambda v: type("Mine", (list,), {})([1]),
    "dict_class": lambda v: type("Mine", (dict,), {})(a=1),
}


def holding(tf, value):
    module = tf.Module()
    module.x = value
    return module


def seen(value):
    return type(value).__name__, repr(value), str(value), [isinstance(value, kind) for kind in (list, dict, tuple)]


@row_for(holder=list(HOLDERS), value=list(VALUES))
def assigned(tf, holder, value):
    held, value = HOLDERS[holder](tf), VALUES[value](tf.Variable(1.0))
    held.x = value
    return seen(held.x), held.x == value, value == held.x, held.x is held.x


@row
def the_list_is_shared(tf):
    value, inner = [1], {"a": [2]}
    module = holding(tf, value)
    module.y = inner
    value.append(3)
    module.x.append([4])
    inner["b"] = [5]
    module.y["c"] = [6]
    return seen(value), seen(module.x), seen(inner), seen(module.y), module.x is value


@row
def assigned_again(tf):
    module, other, value = tf.Module(), tf.Module(), [1]
    module.x, module.y = value, value
    other.z = module.x
    before = module.x
    module.x += [2]
    return module.x is module.y, other.z is module.x, module.x is before, module.y


@row
def compared(tf):
    x, d, t = holding(tf, [1, 2]).x, holding(tf, {"a": 1}).x, holding(tf, (1, [2])).x
    return (
        [x == [1, 2], x == (1, 2), x != [1], x < [2], x <= [1, 2], x > [0], [0] < x, x == holding(tf, [1, 2]).x],
        [d == {"a": 1}, d != {"a": 2}, d == holding(tf, {"a": 1}).x, t == (1, [2]), t < (2,), (0,) < t],
        [raised(lambda value=value: hash(value), "unhashable type: ") for value in (x, d, t)],
    )


@row
def parts_and_sums(tf):
    x, d, t = holding(tf, [1, [2]]).x, holding(tf, {"a": [1]}).x, holding(tf, (1, [2])).x
    made = [x[:], x[0:1], x + [1], [1] + x, x * 2, 2 * x, list(x), x.copy(), sorted(holding(tf, [2, 1]).x)]
    made += [dict(d), d | {"b": 2}, {"b": 2} | d, d.copy(), t[:], t + (1,), (1,) + t, t * 2, tuple(x)]
    return [seen(each) for each in made], list(reversed(x)), [*x], {**d}, bool(x), bool(holding(tf, []).x), len(d)


@row
def copied(tf):
    values = [holding(tf, value).x for value in ([1, [2]], {"a": [1]}, (1, [2]), Pair(1, [2]))]
    return [
        [seen(how(value)) for how in (copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)))]
        for value in values
    ]


@row
def a_copied_module_has_its_own(tf):
    module = holding(tf, [tf.Variable(1.0), {"a": tf.Variable(2.0)}])
    module.x.append(module)
    same, other = copy.copy(module), copy.deepcopy(module)
    other.x[0].assign(5.0)
    return same.x is module.x, module.x[0], other.x[2] is other, type(other.x).__name__, len(other.variables)


@row
def written_as_json(tf):
    x, d = holding(tf, [1, [2, "a"]]).x, holding(tf, {"a": 1}).x
    return json.dumps(x), json.dumps({"x": x}), raised(lambda: json.dumps(d))


@row
def methods_of_lists(tf):
    x = holding(tf, [1, 2, 3]).x
    steps = []

    def step(result=None):
        steps.append((result, seen(x)))

    step(x.__setitem__(0, [7]))
    step(x.insert(1, [8]))
    step(x.extend([[9], 2]))
    step(x.pop())
    step(x.pop(0))
    step(x.remove(2))
    step(x.reverse())
    step([x.index(3), x.count(3), 3 in x])
    x *= 2
    step(raised(lambda: x.__imul__(0)))
    x[1:2] = [5, {"a": 1}]
    step()
    del x[0]
    step(x.clear())
    step(raised(lambda: x.pop()))
    y = holding(tf, [3, 1, 2]).x
    y.sort()
    return steps, y, raised(lambda: y[5])


@row
def methods_of_dicts(tf):
    d = holding(tf, {"a": 1}).x
    steps = []

    def step(result=None):
        steps.append((result, seen(d)))

    step(d.__setitem__("b", [7]))
    step(d.setdefault("c", [1]))
    step(d.update({"q": [1]}, z={"a": 1}))
    step([d.get("none"), "b" in d, list(d), list(d.keys()), list(d.values())])
    step([list(item) for item in d.items()])
    step(d.pop("a"))
    step(list(d.popitem()))
    del d["b"]
    step(raised(lambda: d["b"]))
    step(d.clear())
    return steps


@row
def nests(tf):
    values = [holding(tf, value).x for value in ([1, 2], {"a": 1, "b": [2]}, (1, [2]), Pair(1, [2]))]
    plain = [[1, 2], {"a": 1, "b": [2]}, (1, [2]), Pair(1, [2])]
    for value, same in zip(values, plain, strict=True):
        tf.nest.assert_same_structure(value, same)
        tf.nest.assert_same_structure(same, value)
    return [(tf.nest.flatten(value), seen(tf.nest.map_structure(lambda x: x + 1, value))) for value in values]


@row
def arguments_of_ops(tf, np):
    x, shape = holding(tf, [1.0, 2.0]).x, holding(tf, [1, 2]).x
    return (
        np.array(x), tf.constant(x), tf.stack(x), tf.add_n(x), tf.concat([x, x], 0), tf.zeros(shape), tf.ones(2) * x,
        tf.reshape(tf.ones(2), shape), tf.add_n(holding(tf, [tf.constant(1.0), tf.Variable(2.0)]).x), tf.reduce_sum(x),
    )  # fmt: skip


@row
def arguments_of_functions(tf):
    @tf.function
    def total(items, named):
        result = 0.0
        for item in items:
            result += item
        return result + named["a"]

    module = holding(tf, [tf.Variable(1.0), tf.Variable(2.0)])
    module.d = {"a": tf.constant(3.0)}
    with tf.GradientTape() as tape:
        y = total(module.x, module.d)
    return y, tape.gradient(y, module.x), total(module.x, module.d), total.experimental_get_tracing_count()


@row
def a_function_appends(tf):
    module = holding(tf, [])

    @tf.function
    def f(x):
        if not module.x:
            module.x.append(tf.Variable(3.0, trainable=True))
        for variable in module.x:
            x = x * variable
        return x

    return f(tf.constant(2.0)), f(tf.constant(3.0)), len(module.trainable_variables)


@row
def a_layer_finds_what_is_added(tf):
    class Stack(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = []
            self.by_name = {}
            for units in (2, 3):
                self.parts.append(tf.keras.layers.Dense(units))
            self.by_name["last"] = [tf.keras.layers.Dense(1)]

        def call(self, x):
            for part in self.parts:
                x = part(x)
            return self.by_name["last"][0](x)

    model = Stack()
    y = model(tf.ones([1, 2]))
    return y.shape.as_list(), [v.shape.as_list() for v in model.trainable_weights], len(model.layers)


LIST_CHANGES = {
    "append": lambda x, v: x.append(v),
    "extend": lambda x, v: x.extend([v, v]),
    "iadd": lambda x, v: x.__iadd__([v]),
    "imul": lambda x, v: x.__imul__(2),
    "insert": lambda x, v: x.insert(0, v),
    "insert_number": lambda x, v: x.insert(0, 1),
    "setitem": lambda x, v: x.__setitem__(0, v),
    "same_item": lambda x, v: x.__setitem__(0, x[0]),
    "slice": lambda x, v: x.__setitem__(slice(0, 1), [v]),
    "delitem": lambda x, v: x.__delitem__(0),
    "pop": lambda x, v: x.pop(),
    "remove": lambda x, v: x.remove(x[0]),
    "reverse": lambda x, v: x.reverse(),
    "clear": lambda x, v: x.clear(),
}
DICT_CHANGES = {
    "new": lambda x, v: x.__setitem__("n", v),
    "other": lambda x, v: x.__setitem__("a", v),
    "update": lambda x, v: x.update(n=v),
    "delitem": lambda x, v: x.__delitem__("a"),
    "pop": lambda x, v: x.pop("a"),
    "popitem": lambda x, v: x.popitem(),
    "setdefault": lambda x, v: x.setdefault("n", v),
    "clear": lambda x, v: x.clear(),
    "number_key": lambda x, v: x.__setitem__(1, v),
    "list_under_number": lambda x, v: x.__setitem__(1, [2]),
    "number_under_number": lambda x, v: x.__setitem__(1, 2),
}


def saved(tf, folder, module):
    """The names in a checkpoint of a module, or what saving raises."""

    def save():
        tf.train.Checkpoint(m=module).write(f"{folder}/c")

    refused = raised(save, "Unable to save the object ")
    return refused if refused.error else sorted(name for name, _ in tf.train.list_variables(f"{folder}/c"))


@row_for(change=list(LIST_CHANGES), of=["variable", "number", "both"])
def lists_changed_and_saved(tf, folder, change, of):
    v = tf.Variable(1.0)
    module = holding(tf, {"variable": [v], "number": [1], "both": [1, v]}[of])
    LIST_CHANGES[change](module.x, tf.Variable(2.0))
    return saved(tf, folder, module)


@row_for(change=list(DICT_CHANGES), of=["variable", "number"])
def dicts_changed_and_saved(tf, folder, change, of):
    module = holding(tf, {"a": tf.Variable(1.0) if of == "variable" else 1})
    DICT_CHANGES[change](module.x, tf.Variable(2.0))
    return saved(tf, folder, module)


@row_for(change=["append", "number", "same_again", "dict", "dict_number"])
def changed_past_the_wrapper(tf, folder, change):
    value = [tf.Variable(1.0)] if "dict" not in change else {"a": tf.Variable(1.0)}
    module = holding(tf, value)
    if change == "append":
        value.append(tf.Variable(2.0))
    elif change == "number":
        value.append(1)
    elif change == "same_again":
        value.append(1)
        value.pop()
    else:
        value["b"] = tf.Variable(2.0) if change == "dict" else 1
    return saved(tf, folder, module), len(module.variables)


@row
def tuples_saved(tf, folder):
    module = holding(tf, (1, tf.Variable(1.0), [tf.Variable(2.0)]))
    module.named = Pair(1, tf.Variable(1.0))
    return saved(tf, folder, module)


@row
def appended_and_restored(tf, folder):
    def made(start):
        module = holding(tf, [])
        module.x.append(tf.Variable(start))
        module.x.append({"a": tf.Variable(start + 1)})
        return module

    first, second = made(1.0), made(5.0)
    path = tf.train.Checkpoint(m=first).write(f"{folder}/c")
    tf.train.Checkpoint(m=second).read(path).assert_consumed()
    return second.x[0], second.x[1]["a"]


@row
def restored_when_appended(tf, folder):
    first = holding(tf, [tf.Variable(1.0), tf.Variable(2.0)])
    path = tf.train.Checkpoint(m=first).write(f"{folder}/c")
    second = holding(tf, [tf.Variable(7.0)])
    status = tf.train.Checkpoint(m=second).read(path)
    second.x.append(tf.Variable(8.0))
    status.assert_consumed()
    return second.x[0], second.x[1]


@row
def a_moved_list_of_a_layer(tf, folder):
    class Stack(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.parts = [tf.keras.layers.Dense(1), tf.keras.layers.Dense(2)]
            self.parts.reverse()

    return saved(tf, folder, Stack())


@row
def configured_by_lists(tf):
    class Sized(tf.keras.layers.Layer):
        def __init__(self, sizes, options, **kwargs):
            super().__init__(**kwargs)
            self.sizes, self.options = sizes, options

        def get_config(self):
            return {**super().get_config(), "sizes": self.sizes, "options": self.options}

    model = tf.keras.Sequential([tf.keras.Input([2]), Sized([1, 2], {"a": [1]}, name="sized")])
    other = tf.keras.models.model_from_json(model.to_json(), custom_objects={"Sized": Sized}).layers[0]
    return seen(other.sizes), seen(other.options), model.get_config()["layers"][1]["config"]["options"] == {"a": [1]}


@row
def a_class_derived_from_a_named_tuple(tf):
    class Pair(collections.namedtuple("Pair", "x y")):
        """Its objects have a `__dict__`."""

    module = tf.Module()
    module.pair = Pair(1.0, {"a": 2.0})
    doubled = tf.nest.map_structure(lambda x: 2 * x, module.pair)
    return repr(module.pair), module.pair.x, isinstance(module.pair, Pair), repr(doubled)
