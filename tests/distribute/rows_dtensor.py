"""`tf.experimental.dtensor`, on a mesh of two by two CPUs."""

from rows import raised, row, row_for, row_that_differs


def _mesh(tf):
    return tf.experimental.dtensor.create_mesh({"x": 2, "y": 2}, devices=[f"CPU:{n}" for n in range(4)])


def _layout(tf, *specs):
    return tf.experimental.dtensor.Layout([spec or "unsharded" for spec in specs], _mesh(tf))


def _numbers(tf, np, *specs, shape=(4, 4)):
    x = tf.constant(np.arange(float(np.prod(shape)), dtype="f").reshape(shape))
    return tf.experimental.dtensor.relayout(x, _layout(tf, *specs))


def _told(tf, x):
    """How a tensor is spread, and its parts."""
    dtensor = tf.experimental.dtensor
    return dtensor.fetch_layout(x).sharding_specs, dtensor.unpack(x)


# --- meshes and layouts -----------------------------------------------------------------------------------------------


@row
def meshes(tf, np):
    mesh = _mesh(tf)
    return (
        repr(mesh), str(mesh), mesh.to_string(), mesh.dim_names, mesh.size, mesh.shape(), mesh.strides, mesh.name,
        mesh.device_type(), mesh.local_devices(), mesh.local_device_ids(), mesh.global_devices(), mesh["x"],
        np.array(mesh.global_device_ids()), mesh.coords(3), mesh.device_location(1), mesh.local_device_locations(),
        {str(n): place for n, place in mesh.unravel_index().items()}, mesh.min_global_device_id(),
        mesh.num_local_devices(), mesh.is_remote(), mesh.is_single_device(), mesh.use_xla_spmd(),
        mesh.host_mesh() == mesh, "x" in mesh, mesh.contains_dim("q"), mesh.dim_size("y"),
        raised(lambda: mesh.dim_size("q"), "Dimension q does not exist in mesh"), hash(mesh) == hash(_mesh(tf)),
    )  # fmt: skip


@row
def meshes_from_text(tf):
    make = tf.experimental.dtensor.Mesh
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    return (
        make.from_string(_mesh(tf).to_string()) == _mesh(tf), repr(make.from_device(device)),
        make.from_device(device).is_single_device(), raised(lambda: make.from_string("abc"), "string is invalid: abc"),
    )  # fmt: skip


@row
def created_meshes(tf):
    create = tf.experimental.dtensor.create_mesh
    return (
        repr(create()), repr(create([("a", -1)])), repr(create({"a": 4}, mesh_name="m")),
        repr(create({"a": 1, "b": 2}, devices=["CPU:1", "CPU:3"])),
        raised(lambda: create({"a": 3}), r"length of devices (4) must be equal to total size of the mesh of shape [3]"),
        raised(lambda: create({}), "must be equal to total size of the mesh of shape []"),
        raised(lambda: create({"a": 1}, devices=["CPU:0"], device_type="GPU"), "Conflicting devices"),
        raised(lambda: create({"a": 4}, use_xla_spmd=True), "XLA SPMD is not currently not supported for CPU mesh."),
    )  # fmt: skip


@row
def malformed_meshes(tf, np):
    make = tf.experimental.dtensor.Mesh
    ids = np.arange(2)
    return (
        raised(lambda: make(["x"], [0, 1], [0], ["CPU:0"]), "global_device_ids must be an ndarray"),
        raised(lambda: make(["x"], ids[::-1].copy(), [0], ["CPU:0"]), "must sequentially increase"),
        raised(lambda: make(["x", "y"], ids, [0], ["CPU:0"]), "does not match number of dimension names"),
        raised(lambda: make(["x"], ids, [0], ["CPU:0", "CPU:1"]), "does not have same size as local_devices"),
        raised(lambda: make(["x"], ids, [], []), "Empty list of devices not allowed."),
        raised(lambda: make(["x"], ids, [0, 1], ["CPU:0", "GPU:1"]), "Devices containing multiple device_types"),
    )  # fmt: skip


@row
def layouts(tf):
    make = tf.experimental.dtensor.Layout
    layout = _layout(tf, "x", None)
    return (
        repr(layout), layout.to_string(), layout.rank, layout.sharding_specs, layout.shape, layout.mesh == _mesh(tf),
        [layout.num_shards(n) for n in range(2)], layout.global_shape_from_local_shape([2, 3]),
        layout.local_shape_from_global_shape([4, 3]), layout.is_fully_replicated(), layout.is_single_device(),
        layout.offset_to_shard(), layout.offset_tuple_to_global_index((1, 0)), layout == _layout(tf, "x", None),
        layout != _layout(tf, None, "x"), hash(layout) == hash(_layout(tf, "x", None)), repr(layout.delete([0])),
        repr(layout.delete(1)), make.from_string(layout.to_string()) == layout,
        repr(make.from_device("/job:localhost/replica:0/task:0/device:CPU:0")),
    )  # fmt: skip


@row_for(specs=["x,", ",y", "x,y", ","])
def kinds_of_layouts(tf, specs):
    layout = _layout(tf, *specs.split(","))
    return (
        layout.is_batch_parallel(), layout.is_fully_replicated(), layout.offset_to_shard(),
        [layout.offset_tuple_to_global_index(place) for place in layout.offset_to_shard()],
    )  # fmt: skip


@row
def made_layouts(tf):
    make, mesh = tf.experimental.dtensor.Layout, _mesh(tf)
    return (
        repr(make.batch_sharded(mesh, "x", 2)), repr(make.batch_sharded(mesh, "x", 3, axis=1)),
        repr(make.inner_sharded(mesh, "y", 3)), repr(make.replicated(mesh, 2)),
        raised(lambda: make.batch_sharded(mesh, "q", 2), "mesh dimension not contained in mesh"),
        raised(lambda: make(["x"], 3), "mesh is not a valid Mesh object."),
        raised(lambda: make(["x", "x"], mesh), "Mesh dimension x was repeated in sharding specification"),
        raised(lambda: make(["q"], mesh), "q: A dimension sharding must either be a valid mesh dimension"),
    )  # fmt: skip


@row
def clients(tf):
    dtensor = tf.experimental.dtensor
    return (
        dtensor.client_id(), dtensor.num_clients(), dtensor.jobs(), dtensor.job_name(), dtensor.full_job_name(),
        dtensor.heartbeat_enabled(), dtensor.num_local_devices("CPU"), dtensor.num_global_devices("GPU"),
        dtensor.preferred_device_type(), [device.to_string() for device in dtensor.local_devices("cpu")],
        raised(lambda: dtensor.local_devices("XPU"), "Device type XPU is not CPU, GPU, or TPU."),
        raised(lambda: dtensor.full_job_name(1), "Unexpected task ID 1 in local runs"),
        raised(lambda: dtensor.create_distributed_mesh({"x": 4}), "Accelerators are uninitialized"),
        raised(lambda: dtensor.shutdown_accelerator_system(), "Accelerator system is not initialized."),
    )  # fmt: skip


# --- tensors ----------------------------------------------------------------------------------------------------------


@row_for(specs=["x,", ",y", "x,y", ",", "y,x"])
def relaid_out(tf, np, specs):
    return _told(tf, _numbers(tf, np, *specs.split(",")))


@row
def relaid_out_again(tf, np):
    dtensor, x = tf.experimental.dtensor, _numbers(tf, np, "x", None)
    back = dtensor.relayout(x, _layout(tf, None, None))
    return (
        _told(tf, back), back.numpy(), _told(tf, dtensor.relayout(x, _layout(tf, "x", "y"))),
        _told(tf, dtensor.relayout(x, _layout(tf, "match", "y"))), _told(tf, dtensor.relayout_like(back, x)),
        x.device, dtensor.device_name(),
    )  # fmt: skip


@row
def copied(tf):
    dtensor = tf.experimental.dtensor
    return (
        _told(tf, dtensor.copy_to_mesh([1.0, 2.0], _layout(tf, "x"))), float(dtensor.copy_to_mesh(3.0, _layout(tf))),
        dtensor.copy_to_mesh(tf.constant([1, 2]), _layout(tf, None)).numpy(),
    )  # fmt: skip


@row
def packed(tf):
    dtensor = tf.experimental.dtensor
    return (
        _told(tf, dtensor.pack([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [3.0, 4.0]], _layout(tf, "x"))),
        _told(tf, dtensor.pack([tf.constant([[n]]) for n in range(4)], _layout(tf, "x", "y"))),
        raised(lambda: dtensor.pack([[1.0]], _layout(tf, "x")), "expected 4 inputs to DTensorPack, but got 1"),
        raised(lambda: dtensor.pack([[1.0], [2.0], [1.0], [1.0, 2.0]], _layout(tf, "x")), "must currently all have"),
        raised(lambda: dtensor.pack([1.0] * 4, _layout(tf, "x")), "Packed layout should have the same rank as the"),
    )  # fmt: skip


@row
def asked(tf, np):
    dtensor, x = tf.experimental.dtensor, _numbers(tf, np, "x", None)
    return (
        dtensor.is_dtensor(x), dtensor.is_dtensor(tf.constant(1.0)), dtensor.is_dtensor(3),
        dtensor.check_layout(x, _layout(tf, "x", None)),
        raised(lambda: dtensor.check_layout(x, _layout(tf, None, None)), "did not match expected layout"),
        raised(lambda: dtensor.fetch_layout(tf.constant(1.0)), "FetchLayout expects a tensor placed on the layout"),
        raised(lambda: dtensor.unpack(tf.constant(1.0)), "DTensorUnpack expects a tensor placed on the DTensor device"),
        raised(lambda: tf.function(dtensor.fetch_layout)(x), "`fetch_layout` must be called eagerly."),
        raised(lambda: tf.function(dtensor.is_dtensor)(x), "`is_dtensor` must be called eagerly."),
        raised(lambda: dtensor.default_mesh(3).__enter__(), "Expect `mesh` to be `Mesh`"),
    )  # fmt: skip


@row
def called_with_a_layout(tf):
    dtensor = tf.experimental.dtensor
    with dtensor.default_mesh(_mesh(tf)):
        inside = dtensor.get_default_mesh() == _mesh(tf)
    return (
        _told(tf, dtensor.call_with_layout(tf.ones, _layout(tf, "x", None), shape=(4, 2))), inside,
        _told(tf, dtensor.call_with_layout(tf.zeros, _layout(tf, None, "y"), (2, 2), tf.int32)),
        dtensor.call_with_layout(tf.ones, None, shape=[2]),
    )  # fmt: skip


@row
def what_does_not_fit(tf, np):
    dtensor = tf.experimental.dtensor
    return (
        raised(lambda: _numbers(tf, np, "x")), raised(lambda: _numbers(tf, np, "x", None, shape=(3, 4))),
        raised(lambda: dtensor.call_with_layout(tf.ones, _layout(tf, "x"), shape=[3])),
    )  # fmt: skip


@row_that_differs("the values of a tensor that is spread are there")
def values(tf, np):
    return raised(lambda: _numbers(tf, np, "x", None).numpy())


@row_that_differs("regular tensors may be used together with spread ones")
def mixed(tf, np):
    return raised(lambda: _numbers(tf, np, "x", None) + tf.ones([4, 4]))


OPERATIONS = {
    "add": lambda tf, s, x, y: s + s,
    "add_whole": lambda tf, s, x, y: s + x,
    "add_number": lambda tf, s, x, y: s + 1.0,
    "add_both": lambda tf, s, x, y: s + y,
    "relu": lambda tf, s, x, y: tf.nn.relu(s - 3.0),
    "softmax": lambda tf, s, x, y: tf.nn.softmax(s),
    "cast": lambda tf, s, x, y: tf.cast(s, tf.int32),
    "matmul_rows": lambda tf, s, x, y: tf.matmul(s, x),
    "matmul_columns": lambda tf, s, x, y: tf.matmul(x, y),
    "matmul_both": lambda tf, s, x, y: tf.matmul(s, y),
    "matmul_inner": lambda tf, s, x, y: tf.matmul(y, tf.transpose(y)),
    "einsum": lambda tf, s, x, y: tf.einsum("ij,jk->ik", s, x),
    "sum": lambda tf, s, x, y: tf.reduce_sum(s),
    "sum_divided": lambda tf, s, x, y: tf.reduce_sum(s, 0),
    "sum_whole": lambda tf, s, x, y: tf.reduce_sum(s, 1),
    "mean": lambda tf, s, x, y: tf.reduce_mean(s, 1, keepdims=True),
    "transpose": lambda tf, s, x, y: tf.transpose(s),
    "reshape": lambda tf, s, x, y: tf.reshape(s, [4, 2, 2]),
    "flatten": lambda tf, s, x, y: tf.reshape(s, [16]),
    "expand_dims": lambda tf, s, x, y: tf.expand_dims(s, 0),
    "concat": lambda tf, s, x, y: tf.concat([s, s], 1),
    "slice": lambda tf, s, x, y: s[:, 1:3],
    "gather": lambda tf, s, x, y: tf.gather(x, [0, 1, 1]),
    "argmax": lambda tf, s, x, y: tf.argmax(s, 1),
}


@row_for(name=OPERATIONS)
def operations(tf, np, name):
    spread = _numbers(tf, np, "x", None), _numbers(tf, np, None, None), _numbers(tf, np, None, "y")
    return _told(tf, OPERATIONS[name](tf, *spread))


# --- variables, gradients, functions ----------------------------------------------------------------------------------


@row
def variables(tf, np):
    dtensor = tf.experimental.dtensor
    v = dtensor.DVariable(_numbers(tf, np, "x", None), name="w", trainable=False)
    first = v.name, list(v.shape), v.trainable, v.device, dtensor.is_dtensor(v), repr(v.layout)
    first += (_told(tf, v.read_value()),)
    v.assign(_numbers(tf, np, None, None) * 2.0)
    second = _told(tf, v.read_value())
    v.assign_add(_numbers(tf, np, None, None))
    return first, second, _told(tf, v.read_value()), isinstance(v, tf.Variable), v.save_as_bf16


@row
def made_variables(tf, np):
    dtensor, x = tf.experimental.dtensor, _numbers(tf, np, "x", None)
    return (
        _told(tf, dtensor.DVariable([1.0, 2.0], layout=_layout(tf, "x")).read_value()),
        _told(tf, dtensor.DVariable(lambda: x).read_value()),
        raised(lambda: dtensor.DVariable(1.0), "Neither layout nor DTensor initial value are provided."),
        raised(lambda: dtensor.DVariable(x, layout=_layout(tf, None, "y")), "Conflicting layout are provided"),
        raised(lambda: dtensor.DVariable(x, dtype=tf.float64), "Tensor conversion requested dtype float64"),
    )  # fmt: skip


@row
def gradients(tf, np):
    dtensor = tf.experimental.dtensor
    x = _numbers(tf, np, "x", None)
    w = dtensor.DVariable(dtensor.relayout(_numbers(tf, np, None, None), _layout(tf, None, "y")))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.matmul(x, w) * 0.01))
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.5 * gradient)
        return loss, gradient

    results = [step() for _ in range(3)]
    return [_told(tf, x) for result in results for x in result], _told(tf, w.read_value())


@row
def relayout_in_functions(tf, np):
    dtensor, x = tf.experimental.dtensor, _numbers(tf, np, None, None)
    return _told(tf, tf.function(lambda a: dtensor.relayout(a * 2.0, _layout(tf, None, "y")))(x))


@row
def checkpoints(tf, np, folder):
    dtensor = tf.experimental.dtensor
    v = dtensor.DVariable(_numbers(tf, np, "x", None))
    checkpoint = dtensor.DTensorCheckpoint(mesh=_mesh(tf), v=v)
    path = checkpoint.save(f"{folder}/x")
    v.assign(_numbers(tf, np, None, None) * 0.0)
    checkpoint.restore(path)
    return _told(tf, v.read_value()), [name for name, _ in tf.train.list_variables(path)]


@row
def datasets(tf, np):
    data = tf.data.Dataset.from_tensor_slices(np.arange(20.0, dtype="f").reshape(10, 2))
    batches = iter(tf.experimental.dtensor.DTensorDataset(
        data, mesh=_mesh(tf), layouts=_layout(tf, "x", None), global_batch_size=4, batch_dim="x"
    ))  # fmt: skip  # at its end TensorFlow's device gives up for good
    return [_told(tf, next(batches)) for _ in range(2)]


@row
def malformed_datasets(tf, np):
    data, make = tf.data.Dataset.range(8), tf.experimental.dtensor.DTensorDataset
    return (
        raised(lambda: make(data, mesh=_mesh(tf), layouts=_layout(tf, "x", None), global_batch_size=4, batch_dim="x"),
               "Expected layout with rank 1"),
        raised(lambda: make(data.batch(3), mesh=_mesh(tf), layouts=_layout(tf, "x"), global_batch_size=4,
                            batch_dim="x", dataset_already_batched=True), "Ensure drop_remainder=True"),
        raised(lambda: make(data.batch(4, drop_remainder=True), mesh=_mesh(tf), layouts=_layout(tf, "x"),
                            global_batch_size=4, batch_dim="x", dataset_already_batched=True),
               "does not matched expected size based on the mesh, got 4 but expected 2."),
        raised(lambda: make(data, mesh=_mesh(tf), layouts=_layout(tf, "y"), global_batch_size=4, batch_dim="x"),
               "batch_dim x was specified but at least one layout did not contain it"),
        raised(lambda: make(data, mesh=_mesh(tf), layouts=[_layout(tf, "x")], global_batch_size=4, batch_dim="x")),
    )  # fmt: skip


@row_that_differs("parts may be used like any other tensor")
def parts_are_used(tf, np):
    dtensor, x = tf.experimental.dtensor, _numbers(tf, np, "x", None)
    parts = dtensor.unpack(x)
    other = tf.experimental.dtensor.create_mesh({"a": 2}, devices=["CPU:0", "CPU:1"])
    return (
        _told(tf, dtensor.relayout(parts[3], _layout(tf, "x", None))), (parts[0] + parts[3]).numpy(),
        raised(lambda: x + tf.concat([parts[2], parts[3]], 0)),
        raised(lambda: dtensor.relayout(x, dtensor.Layout(["a", "unsharded"], other))),
    )  # fmt: skip
