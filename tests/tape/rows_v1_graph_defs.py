"""Rows: graphs as data in `tf.compat.v1`: GraphDefs, functions made of them, meta graphs, SavedModels of graphs."""

import os

import numpy
from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session

X = numpy.arange(12, dtype="float32").reshape(3, 4) / 10
T = numpy.eye(2, dtype="float32")[[0, 1, 0]]


def node(graph_def, name, op, *inputs, **attributes):
    """Adds a node; attributes are dtypes, TensorProtos, lists for shapes, ints, bytes and bools."""
    made = graph_def.node.add()
    made.name, made.op = name, op
    made.input.extend(inputs)
    for key, value in attributes.items():
        if isinstance(value, list):
            for size in value:
                made.attr[key].shape.dim.add().size = size
            made.attr[key].shape.SetInParent() if hasattr(made.attr[key].shape, "SetInParent") else None
        elif isinstance(value, bool):
            made.attr[key].b = value
        elif isinstance(value, int):
            made.attr[key].i = value
        elif isinstance(value, bytes):
            made.attr[key].s = value
        elif hasattr(value, "as_datatype_enum"):
            made.attr[key].type = value.as_datatype_enum
        else:
            made.attr[key].tensor.CopyFrom(value)
    return made


def constant(tf, graph_def, name, value):
    proto = tf.make_tensor_proto(value)
    made = node(graph_def, name, "Const", value=proto)
    made.attr["dtype"].type = proto.dtype


def small(tf):
    """x -> split into two columns -> y = first + 2 * second."""
    made, f = tf.compat.v1.GraphDef(), tf.float32
    node(made, "y", "AddV2", "halves", "twice", T=f)  # before what it needs
    node(made, "x", "Placeholder", dtype=f, shape=[-1, 2])
    constant(tf, made, "axis", numpy.int32(1))
    node(made, "halves", "Split", "axis", "x", T=f, num_split=2)
    constant(tf, made, "two", numpy.float32(2))
    node(made, "twice", "Mul", "halves:1", "two", T=f)
    return made


@row
def a_graph_def_is_imported(tf, np):
    v, told = tf.compat.v1, []
    for options in ({}, {"name": ""}, {"name": "p", "return_elements": ["y:0", "halves", "halves:1"]}):
        with tf.Graph().as_default() as graph:
            found = tf.graph_util.import_graph_def(small(tf), **options)
            ops = graph.get_operations()
            told.append([
                [(op.name, op.type) for op in ops], [str(x.shape) for op in ops for x in op.outputs],
                None if found is None else [x.name for x in found],
            ])  # fmt: skip
            y = graph.get_tensor_by_name(f"{ops[-1].name}:0")
            with v.Session() as s:
                told.append(s.run(y, {f"{ops[0].name.rpartition('/')[0]}/x:0".lstrip("/"): [[1.0, 2.0]]}))
    return told


@row
def tensors_replace_others(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        c = tf.constant([[1.0, 2.0]], name="c")
        (y,) = tf.import_graph_def(small(tf), {"x:0": c}, ["y:0"], name="")
        (z,) = v.import_graph_def(small(tf), {"x": c * 3.0}, ["y:0"])
        (u,) = v.import_graph_def(small(tf), {"halves:1": c[:, :1], "x:0": c}, ["y:0"])
        slope = tf.gradients([y, z, u], [c])
        doubled = tf.import_graph_def(small(tf), {"x:0": y * [[1.0, 1.0]]}, ["y:0"], name="again")[0]
        return s.run([y, z, u, slope, doubled]), [x.name for x in (y, z, u, doubled)], y.op.type, str(y.shape)


@row
def what_an_import_refuses(tf, np):
    v = tf.compat.v1

    def refused(*nodes, error="", **options):
        made = v.GraphDef()
        for name, op, *rest in nodes:
            node(made, name, op, *rest[:-1], **rest[-1])

        def attempt():
            with tf.Graph().as_default():
                tf.import_graph_def(made if nodes else small(tf), **options)

        return raised(attempt, error)

    f = {"T": tf.float32}
    return [
        refused(("a", "Nonsense", {}), error="Op type not registered 'Nonsense'"),
        refused(("a", "Neg", "b", f), error="Node 'a': Unknown input node 'b'"),
        refused(("a", "Neg", "a", f), error="1 nodes in a cycle"),
        refused(("a", "Neg", "b", f), ("b", "Neg", "a", f), error="2 nodes in a cycle"),
        refused(("p", "Placeholder", {"dtype": tf.float32}), ("a", "Neg", "p", {}),
                error="NodeDef missing attr 'T' from Op<name=Neg;"),
        refused(("a", "NoOp", {}), ("a", "NoOp", {}), error="Node 'a' is not unique"),
        refused(("p", "Placeholder", {"dtype": tf.int32}), ("a", "Neg", "p", f),
                error="Input 0 of node import/a was passed int32 from import/p:0 incompatible with expected float."),
        refused(("p", "Placeholder", {"dtype": tf.float32}), ("a", "Neg", "p:4", f),
                error="Connecting to invalid output 4 of source node p which has 1 outputs"),
        refused(return_elements=["no:0"], error="Requested return tensor 'no:0' not found in graph def"),
        refused(return_elements=["y:3"], error="Invalid return output 3 of node 'y', which has 1 output(s)"),
        refused(return_elements=[3], error="Argument `return_elements` must be a list of strings."),
        refused(input_map=[1], error="Argument `input_map` must be a dictionary."),
        refused(input_map={"no:0": 0.0}, error="Attempted to map inputs that were not found in graph_def: [no:0]"),
        raised(lambda: tf.import_graph_def("a"), "Argument `graph_def` must be a GraphDef proto."),
    ]  # fmt: skip


def read_of(ref):
    return "w/read" if ref else "w/Read/ReadVariableOp"


def with_variables(tf, ref):
    """w, initialized with 3; y = w * x; up = w + 1."""
    made, f = tf.compat.v1.GraphDef(), tf.float32
    constant(tf, made, "w/initial_value", numpy.float32(3))
    constant(tf, made, "one", numpy.float32(1))
    node(made, "x", "Placeholder", dtype=f, shape=[-1])
    if ref:
        node(made, "w", "VariableV2", dtype=f, shape=[], container=b"", shared_name=b"")
        node(made, "w/Assign", "Assign", "w", "w/initial_value", T=f, use_locking=True, validate_shape=True)
        node(made, "w/read", "Identity", "w", T=f)
        node(made, "up", "AssignAdd", "w", "one", T=f, use_locking=False)
    else:
        node(made, "w", "VarHandleOp", dtype=f, shape=[], shared_name=b"w", container=b"")
        node(made, "w/Assign", "AssignVariableOp", "w", "w/initial_value", dtype=f)
        node(made, "w/Read/ReadVariableOp", "ReadVariableOp", "w", dtype=f)
        node(made, "add", "AssignAddVariableOp", "w", "one", dtype=f)
        node(made, "up", "ReadVariableOp", "w", "^add", dtype=f)
    node(made, "y", "Mul", read_of(ref), "x", T=f)
    return made


@row_for(ref=[False, True])
def variables_in_a_graph_def(tf, np, ref):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        tf.import_graph_def(with_variables(tf, ref), name="")
        early = raised(lambda: s.run("y:0", {"x:0": [1.0]}))
        s.run("w/Assign")
        seen = [s.run("y:0", {"x:0": [1.0, 2.0]}), s.run("up:0"), s.run("up:0"), s.run("y:0", {"x:0": [1.0]})]
        graph = v.get_default_graph()
        y, read = (graph.get_tensor_by_name(f"{name}:0") for name in ("y", read_of(ref)))
        slope = tf.gradients(y, [read])
        frozen = v.graph_util.convert_variables_to_constants(s, with_variables(tf, ref), ["y"])
        seen.append(s.run(slope, {"x:0": [1.0, 5.0]}))
    with graph_and_session(tf) as s:
        tf.import_graph_def(frozen, name="f")
        return early, seen, sorted((n.name, n.op) for n in frozen.node), s.run("f/y:0", {"f/x:0": [2.0]})


@row
def a_branch_and_a_loop_of_old_graphs(tf, np):
    made, f, i, b = tf.compat.v1.GraphDef(), tf.float32, tf.int32, tf.bool
    node(made, "x", "Placeholder", dtype=f, shape=[-1])
    node(made, "p", "Placeholder", dtype=b, shape=[])
    node(made, "switch", "Switch", "x", "p", T=f)
    node(made, "no", "Neg", "switch", T=f)
    node(made, "yes", "Exp", "switch:1", T=f)
    node(made, "merge", "Merge", "no", "yes", T=f, N=2)
    constant(tf, made, "zero", numpy.int32(0))
    for name, source, kind in (("n", "zero", i), ("v", "merge", f)):
        node(made, f"{name}/enter", "Enter", source, T=kind, frame_name=b"loop", is_constant=False,
             parallel_iterations=10)
        node(made, f"{name}/merge", "Merge", f"{name}/enter", f"{name}/next", T=kind, N=2)
    constant(tf, made, "limit", numpy.int32(3))
    made.node[-1].input.append("^n/merge")
    node(made, "less", "Less", "n/merge", "limit", T=i)
    node(made, "loop", "LoopCond", "less")
    for name, kind in (("n", i), ("v", f)):
        node(made, f"{name}/switch", "Switch", f"{name}/merge", "loop", T=kind)
        node(made, f"{name}/inside", "Identity", f"{name}/switch:1", T=kind)
        node(made, f"{name}/exit", "Exit", f"{name}/switch", T=kind)
    constant(tf, made, "one", numpy.int32(1))
    made.node[-1].input.append("^n/inside")
    node(made, "add", "AddV2", "n/inside", "one", T=i)
    node(made, "square", "Mul", "v/inside", "v/inside", T=f)
    node(made, "n/next", "NextIteration", "add", T=i)
    node(made, "v/next", "NextIteration", "square", T=f)
    with graph_and_session(tf) as s:
        merged, end, count = tf.import_graph_def(made, return_elements=["merge:0", "v/exit:0", "n/exit:0"], name="")
        x = tf.compat.v1.get_default_graph().get_tensor_by_name("x:0")
        return [
            s.run([merged, end, count, tf.gradients(merged, x)], {"x:0": [0.5, -1.0], "p:0": p}) for p in (True, False)
        ]  # fmt: skip


@row
def a_graph_becomes_a_graph_def(tf, np, folder):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v.placeholder(tf.float32, [None, 4], name="x")
        first, _ = tf.split(tf.nn.relu(x, name="act"), 2, 1, name="halves")
        tf.reduce_sum(first * 3.0 + 1.0, name="y")
        tf.one_hot(tf.argmax(x, 1), 4, name="hot")
    made = graph.as_graph_def()
    path = tf.io.write_graph(graph, folder, "g.pb", as_text=False)
    read = v.GraphDef()
    with tf.io.gfile.GFile(path, "rb") as file:
        read.ParseFromString(file.read())
    part = v.graph_util.extract_sub_graph(read, ["act"])
    with graph_and_session(tf) as s:
        tf.import_graph_def(read, name="")
        names = {n.name: n.op for n in made.node}
        return [
            s.run(["y:0", "halves:1", "hot:0"], {"x:0": X}), {k: names[k] for k in ("x", "act", "halves")},
            made == read, [n.name for n in part.node],
            raised(lambda: v.graph_util.extract_sub_graph(read, ["no"]), "no is not in graph"),
            raised(lambda: v.graph_util.extract_sub_graph(read, "act"), "must be an iterable of strings"),
        ]  # fmt: skip


@row
def a_wrapped_function_is_pruned(tf, np):
    v = tf.compat.v1
    wrapped = v.wrap_function(lambda: v.import_graph_def(small(tf), name=""), [])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    graph = wrapped.graph
    f = wrapped.prune(tf.nest.map_structure(graph.as_graph_element, ["x:0"]), graph.as_graph_element("y:0"))
    several = wrapped.prune("x:0", {"a": "y:0", "b": ["halves:1"]})
    inner = wrapped.prune(["twice:0", "x:0"], ["y:0"])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [
        y, tape.gradient(y, x), f(x=x), several(x), inner(tf.constant([[10.0], [20.0]]), x), tf.function(f)(x),
        [t.name for t in inner.inputs], wrapped(),
        raised(lambda: wrapped.prune("x", "y:0"), "All members of argument `feeds` must be tensors."),
        raised(lambda: wrapped.prune("x:0", "no:0"), "refers to a Tensor which does not exist"),
    ]  # fmt: skip


@row
def a_wrapped_function_has_variables(tf, np):
    v = tf.compat.v1

    def function(x):
        w = v.get_variable("w", initializer=3.0)
        u = tf.Variable([2.0, 1.0], name="u", trainable=False)
        return {"r": x * w + u}

    wrapped = v.wrap_function(function, [tf.TensorSpec([None], tf.float32)])
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = wrapped(x)
    slopes = tape.gradient(y["r"], wrapped.variables)
    wrapped.variables[0].assign(10.0)
    pruned = wrapped.prune([wrapped.inputs[0]], [wrapped.outputs[0]])
    return [
        y, slopes[0], wrapped(x), pruned(x), [w.name for w in wrapped.variables], len(wrapped.trainable_variables),
        [w.name for w in pruned.variables],
    ]  # fmt: skip


def network(tf):
    v = tf.compat.v1
    x = v.placeholder(tf.float32, [None, 4], name="x")
    t = v.placeholder(tf.float32, [None, 2], name="t")
    with v.variable_scope("m"):
        w = v.get_variable("w", initializer=numpy.linspace(-1, 1, 12).reshape(4, 3).astype("float32"))
        k = v.get_variable("k", initializer=numpy.linspace(1, -1, 6).reshape(3, 2).astype("float32"))
    y = tf.nn.softmax(tf.matmul(tf.nn.tanh(tf.matmul(x, w)), k), name="probs")
    loss = tf.reduce_mean(tf.reduce_sum((y - t) ** 2, 1), name="loss")
    step = v.train.get_or_create_global_step()
    rate = v.train.exponential_decay(0.1, step, 2, 0.9)
    train = v.train.AdamOptimizer(rate).minimize(loss, global_step=step, name="train")
    return x, y, loss, train


@row
def a_meta_graph_goes_on_training(tf, np, folder):
    v, feed, path = tf.compat.v1, {"x:0": X, "t:0": T}, os.path.join(folder, "model")
    with graph_and_session(tf) as s:
        _, y, loss, train = network(tf)
        for key, value in (("ops", train), ("outs", y), ("n", 3), ("tag", "text"), ("f", 0.5)):
            v.add_to_collection(key, value)
        s.run(v.global_variables_initializer())
        s.run([train, train], feed)
        saver = v.train.Saver(max_to_keep=2)
        for step in (1, 2, 3):
            saver.save(s, path, global_step=step)
        files = sorted(os.listdir(folder))
        s.run(train, feed)
        seen = [s.run(loss, feed)]
    with graph_and_session(tf) as s:
        saver = v.train.import_meta_graph(path + "-3.meta")
        saver.restore(s, tf.train.latest_checkpoint(folder))
        graph = v.get_default_graph()
        (y,), (train,) = v.get_collection("outs"), v.get_collection("ops")
        s.run(train, feed)
        slopes = tf.gradients(y[:, 0], graph.get_tensor_by_name("x:0"))
        seen += [s.run("loss:0", feed), s.run(y, feed), s.run(slopes, feed)]
        told = [
            [x.name for x in v.global_variables()], [x.name for x in v.trainable_variables()], y.name, train.name,
            [str(x.shape) for x in v.trainable_variables()], str([v.get_collection(key) for key in ("n", "tag", "f")]),
            os.path.basename(saver.save(s, path, global_step=9)),
        ]  # fmt: skip
    with graph_and_session(tf) as s:
        v.train.import_meta_graph(path + "-9.meta", import_scope="in").restore(s, path + "-9")
        seen.append(s.run("in/loss:0", {"in/x:0": X, "in/t:0": T}))
        told.append([x.name for x in v.trainable_variables()])
    with tf.Graph().as_default():
        told.append(raised(lambda: v.train.import_meta_graph(path + "-none.meta"), "File does not exist."))
    told += [raised(lambda: v.train.import_meta_graph(path + "-9.meta"), "is not supported when eager")]
    return files, seen, told


@row
def exported_meta_graphs(tf, np, folder):
    v, path = tf.compat.v1, os.path.join(folder, "g.meta")
    with graph_and_session(tf):
        network(tf)
        meta = v.train.export_meta_graph(path, collection_list=["trainable_variables"])
        whole = v.train.Saver().export_meta_graph()
    with graph_and_session(tf) as s:
        saver = v.train.import_meta_graph(path)
        s.run([x.initializer for x in v.trainable_variables()])
        seen = s.run("loss:0", {"x:0": X, "t:0": T})
    with tf.Graph().as_default():
        v.placeholder(tf.float32, [], name="only")
        none = v.train.import_meta_graph(v.train.export_meta_graph(), import_scope="a")
    return [
        sorted(meta.collection_def), sorted(whole.collection_def), seen, saver is None, none,
        whole.saver_def.restore_op_name, meta.HasField("saver_def"), meta.meta_info_def.tensorflow_version != "",
    ]  # fmt: skip


@row
def saved_models_of_graphs(tf, np, folder):
    v, path, other = tf.compat.v1, os.path.join(folder, "simple"), os.path.join(folder, "built")
    with graph_and_session(tf) as s:
        x, y, loss, _ = network(tf)
        s.run(v.global_variables_initializer())
        v.saved_model.simple_save(s, path, inputs={"x": x}, outputs={"y": y})
        builder = v.saved_model.builder.SavedModelBuilder(other)
        infos = [{"in": v.saved_model.utils.build_tensor_info(x)}, {"out": v.saved_model.utils.build_tensor_info(y)}]
        signature = v.saved_model.signature_def_utils.build_signature_def(*infos, "tensorflow/serving/predict")
        builder.add_meta_graph_and_variables(
            s, [v.saved_model.tag_constants.SERVING, "mine"], signature_def_map={"s": signature},
            main_op=v.assign_add(v.trainable_variables()[0], np.ones((4, 3), "float32")).op,
        )  # fmt: skip
        builder.save()
        told = [
            raised(lambda: v.saved_model.Builder(path), "already exists, and isn't empty."),
            raised(lambda: builder.add_meta_graph_and_variables(s, ["a"]), "has already been saved"),
            raised(lambda: v.saved_model.predict_signature_def({}, {"y": y}), "Prediction `inputs` cannot be None"),
            v.saved_model.is_valid_signature(signature), v.saved_model.contains_saved_model(path),
        ]  # fmt: skip
    seen = []
    for place, tags, key in ((path, ["serve"], "serving_default"), (other, ["mine", "serve"], "s")):
        with graph_and_session(tf) as s:
            meta = v.saved_model.loader.load(s, tags, place)
            signature = meta.signature_def[key]
            (given,), (found,) = signature.inputs.values(), signature.outputs.values()
            seen += [s.run(found.name, {given.name: X}), given.name, found.name, signature.method_name]
    seen.append(tf.saved_model.load(path).signatures["serving_default"](x=tf.constant(X)))
    with graph_and_session(tf) as s:
        told.append(raised(lambda: v.saved_model.load(s, ["no"], path), "could not be found in SavedModel"))
    return seen, told


@row
def assertions_are_part_of_a_graph_def(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x, n = v.placeholder(tf.float32, [None, 2], name="x"), v.placeholder(tf.int32, [], name="n")
        first = tf.debugging.assert_greater(x, 0.0, message="must be positive")
        second = v.assert_equal(tf.shape(x)[0], n, name="same")
        third = tf.debugging.Assert(tf.reduce_all(x < 100.0), [n], name="few")
        with tf.control_dependencies([first, second, third]):
            tf.identity(x * 2.0, name="y")
        made = v.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    with graph_and_session(tf) as s:
        (y,) = tf.graph_util.import_graph_def(made, return_elements=["y:0"], name="")
        values = [([[1, 2]], 1), ([[-1, 2]], 1), ([[1, 2]], 3), ([[1, 200]], 1)]
        fed = [{"x:0": rows, "n:0": number} for rows, number in values]
        return s.run(y, fed[0]), [
            raised(lambda: s.run(y, fed[1]), "must be positive", "Condition x > y did not hold"),
            raised(lambda: s.run(y, fed[2]), "assertion failed"), raised(lambda: s.run(y, fed[3]), "assertion failed"),
        ]  # fmt: skip


@row
def texts_are_part_of_a_graph_def(tf):
    with tf.Graph().as_default() as graph:
        tf.constant(["a", "b\n"], name="words")
        made = graph.as_graph_def()
    with graph_and_session(tf) as s:
        return s.run(tf.graph_util.import_graph_def(made, return_elements=["words:0"], name="g")), [
            (node.name, node.op) for node in made.node
        ]  # fmt: skip


@row
def graphs_in_the_text_form(tf, folder):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 2], name="x")
        w = v.get_variable("w", initializer=[1.0, 2.0])
        tf.identity(x * w, name="y")
        s.run(v.global_variables_initializer())
        v.train.Saver().save(s, f"{folder}/model")
        v.train.export_meta_graph(f"{folder}/text.meta", as_text=True)
        builder = v.saved_model.Builder(f"{folder}/saved")
        builder.add_meta_graph_and_variables(s, ["serve"])
        builder.save(as_text=True)
    results = []
    with graph_and_session(tf) as s:
        v.train.import_meta_graph(f"{folder}/text.meta").restore(s, f"{folder}/model")
        results.append(s.run("y:0", {"x:0": [[3.0, 4.0]]}))
    with graph_and_session(tf) as s:
        v.saved_model.load(s, ["serve"], f"{folder}/saved")
        results.append(s.run("y:0", {"x:0": [[3.0, 4.0]]}))
    return results, sorted(os.listdir(f"{folder}/saved"))


@row_for(layer=["dropout", "batch_normalization", "both"])
def a_graph_of_layers_that_train_or_not(tf, np, folder, layer):
    v = tf.compat.v1
    with graph_and_session(tf, seed=2) as s:
        x, on = v.placeholder(tf.float32, [None, 4], "x"), v.placeholder_with_default(False, [], "on")
        y = v.layers.dense(x, 3, kernel_initializer=v.ones_initializer(), name="dense")
        if layer != "dropout":
            y = v.layers.batch_normalization(y, training=on)
        if layer != "batch_normalization":
            y = v.layers.dropout(y, 0.5, training=on, seed=5)
        y = tf.identity(y, "y")
        s.run(v.global_variables_initializer())
        saver = v.train.Saver()
        path = saver.save(s, os.path.join(folder, "m"))
        before = s.run("y:0", {"x:0": X})
    with tf.Graph().as_default(), v.Session() as s:
        v.train.import_meta_graph(path + ".meta").restore(s, path)
        after = s.run("y:0", {"x:0": X})
        drawn = [s.run("y:0", {"x:0": X, "on:0": True}) for _ in range(2)]
        zeros = [bool(np.any(each == 0)) for each in drawn] if layer == "dropout" else None
        return before, after, zeros


@row
def names_given_by_place(tf):
    v = tf.compat.v1
    with tf.Graph().as_default():
        x = v.placeholder(tf.float32, [2, 2], "x")
        made = [
            tf.identity(x, "a"), tf.add(x, x, "b"), v.reduce_sum(x, 1, True, "c"), tf.cast(x, tf.int32, "d"),
            v.nn.softmax(x, -1, "e"), v.argmax(x, 1, "f"), tf.zeros([2], tf.float32, "g"), tf.squeeze(x, None, "h"),
            v.transpose(x, [1, 0], "i"), v.pad(x, [[0, 0], [0, 0]], "CONSTANT", "j"), v.gather(x, [0], None, "k"),
            tf.random.normal([2], 0.0, 1.0, tf.float32, None, "l"), tf.gather(x, [0], None, None, 0, "m"),
        ]
        return [each.name for each in made]
