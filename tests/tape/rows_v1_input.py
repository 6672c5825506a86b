"""Input pipelines of `tf.compat.v1`: queues that threads fill, readers of files, and text in graphs."""

from rows import raised, row, row_for


def _shown(values):
    """Values of a run with text as str."""
    if isinstance(values, dict):
        return {key: _shown(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [_shown(value) for value in values]
    return values.decode() if isinstance(values, bytes) else values


def _runs(v1, fetches, count=4):
    """What several runs give, until the queues are at their end."""
    results = []
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(count):
                results.append(_shown(session.run(fetches)))
        except Exception as error:  # noqa: BLE001 - its class is compared
            results.append(type(error).__name__)
        coordinator.request_stop()
        coordinator.join(threads)
    return results, len(threads)


def _slices(v1, np, epochs=None):
    return v1.train.slice_input_producer([np.arange(5), np.arange(5) * 10], num_epochs=epochs, shuffle=False)


_PIPELINES = {
    "slices": lambda v1, np: _slices(v1, np),
    "slices_of_epochs": lambda v1, np: _slices(v1, np, 1),
    "batches": lambda v1, np: v1.train.batch(_slices(v1, np), 2),
    "batches_of_an_epoch": lambda v1, np: v1.train.batch(_slices(v1, np, 1), 2),
    "a_smaller_last_batch": lambda v1, np: v1.train.batch(_slices(v1, np, 1), 2, allow_smaller_final_batch=True),
    "a_dict": lambda v1, np: v1.train.batch(dict(zip("ab", _slices(v1, np), strict=True)), 3),
    "one_tensor": lambda v1, np: v1.train.batch([_slices(v1, np)[1]], 2),
    "many_rows": lambda v1, np: v1.train.batch([np.arange(6), np.arange(12).reshape(6, 2)], 4, enqueue_many=True),
    "kept": lambda v1, np: (lambda x: v1.train.maybe_batch([x], x > 1, 2))(_slices(v1, np)[0]),
    "joined": lambda v1, np: v1.train.batch_join([[v1.constant(1), v1.constant([2.0])]] * 2, 2),
    "computed_between": lambda v1, np: v1.train.batch([v1.square(x) + 1 for x in _slices(v1, np)], 2),
    "integers": lambda v1, np: v1.train.range_input_producer(3, shuffle=False).dequeue(),
    "strings": lambda v1, np: v1.train.string_input_producer(["a", "b"], shuffle=False).dequeue(),
    "rows": lambda v1, np: v1.train.input_producer(v1.constant([[1, 2], [3, 4]]), shuffle=False).dequeue(),
    "limited": lambda v1, np: v1.train.limit_epochs(v1.constant(3), 2),
}


@row_for(name=[*_PIPELINES])
def queues_of_input(tf, np, name):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        fetches = _PIPELINES[name](v1, np)
        shapes = [x.shape.as_list() for x in tf.nest.flatten(fetches)]
        return shapes, _runs(v1, fetches)


@row
def batches_in_random_order(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        numbers = v1.train.slice_input_producer([np.arange(20)], num_epochs=1)[0]
        batch = v1.train.shuffle_batch([numbers], 4, capacity=20, min_after_dequeue=4)
        results, threads = _runs(v1, batch, 5)
        return sorted(np.concatenate(results).tolist()), threads, batch.shape.as_list()


@row
def lines_of_files(tf, folder):
    v1 = tf.compat.v1
    with open(f"{folder}/a.csv", "w", encoding="utf-8") as file:
        file.write("x,y\n1,2.5\n3,4.5\n5,6.5\n")
    with tf.Graph().as_default():
        paths = v1.train.string_input_producer([f"{folder}/a.csv"], num_epochs=2, shuffle=False)
        key, line = v1.TextLineReader(skip_header_lines=1).read(paths)
        x, y = v1.decode_csv(line, [[0], [0.0]])
        place = v1.string_split([key], ":").values[-1]
        return [a.shape.as_list() for a in (key, line, x, y)], _runs(v1, [place, x, y], 8)


@row
def records_of_files(tf, np, folder):
    v1 = tf.compat.v1
    feature = tf.train.Feature
    with tf.io.TFRecordWriter(f"{folder}/a.tfrecord") as writer:
        for i in range(5):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "x": feature(float_list=tf.train.FloatList(value=[i, i / 2])),
                "y": feature(int64_list=tf.train.Int64List(value=[i])),
            })).SerializeToString())  # fmt: skip
    with tf.Graph().as_default():
        paths = v1.train.string_input_producer([f"{folder}/a.tfrecord"], num_epochs=1, shuffle=False)
        _, record = v1.TFRecordReader().read(paths)
        spec = {"x": v1.FixedLenFeature([2], tf.float32), "y": v1.FixedLenFeature([], tf.int64)}
        found = v1.parse_single_example(record, features=spec)
        batch = v1.train.batch([found["x"], found["y"]], 2, allow_smaller_final_batch=True)
        return [x.shape.as_list() for x in (found["x"], *batch)], _runs(v1, batch, 4)


@row
def whole_files(tf, folder):
    v1 = tf.compat.v1
    for name in "ab":
        with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as file:
            file.write(name * 3)
    with tf.Graph().as_default():
        paths = v1.train.string_input_producer([f"{folder}/{name}.txt" for name in "ab"], num_epochs=1, shuffle=False)
        reader = v1.WholeFileReader()
        _, contents = reader.read(paths)
        number = v1.strings.length(contents)
        return _runs(v1, [contents, number], 3)


@row
def a_monitored_session_fills_queues(tf, np):
    v1, seen = tf.compat.v1, []
    with tf.Graph().as_default():
        batch = v1.train.batch([_slices(v1, np, 1)[0]], 2, allow_smaller_final_batch=True)
        v1.train.get_or_create_global_step()
        with v1.train.MonitoredSession() as session:
            while not session.should_stop():
                seen.append(session.run(batch))
    return seen


@row_for(function=["batch", "shuffle_batch", "slice_input_producer"])
def input_pipelines_need_a_graph(tf, function):
    arguments = {"batch": ([tf.constant(1)], 2), "shuffle_batch": ([tf.constant(1)], 2, 9, 1),
                 "slice_input_producer": ([tf.range(3)],)}  # fmt: skip
    return raised(lambda: getattr(tf.compat.v1.train, function)(*arguments[function]), "use tf.data to ingest data")


_OF_TEXT = {
    "table": ("1,2.5", [], lambda v1, x: v1.decode_csv(x, [[0], [0.0]])),
    "tables": (["1,2", "3,4"], [None], lambda v1, x: v1.decode_csv(x, [[0], [0.0]])),
    "bytes": ("abcd", [], lambda v1, x: v1.decode_raw(x, "uint8")),
    "numbers": (["1.5", "2"], [None], lambda v1, x: v1.string_to_number(x)),
    "base64": ("YWJj", [], lambda v1, x: v1.decode_base64(x)),
}


@row_for(name=[*_OF_TEXT])
def text_that_is_fed(tf, name):
    v1, (value, shape, function) = tf.compat.v1, _OF_TEXT[name]
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, shape)
        results = tf.nest.flatten(function(v1, text))
        with v1.Session() as session:
            return [x.shape.as_list() for x in results], _shown(session.run(results, {text: value}))


@row
def examples_and_pictures_that_are_fed(tf, np):
    v1, feature = tf.compat.v1, tf.train.Feature
    record = tf.train.Example(features=tf.train.Features(feature={
        "y": feature(int64_list=tf.train.Int64List(value=[3])),
        "v": feature(float_list=tf.train.FloatList(value=[1, 2])),
    })).SerializeToString()  # fmt: skip
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    picture = tf.io.encode_png(pixels).numpy()
    with tf.Graph().as_default():
        records, contents = v1.placeholder(tf.string, [None]), v1.placeholder(tf.string, [])
        found = v1.parse_example(records, {"y": v1.FixedLenFeature([], tf.int64), "v": v1.VarLenFeature(tf.float32)})
        made = [found["y"], v1.sparse_tensor_to_dense(found["v"]), v1.image.decode_png(contents, channels=3)]
        with v1.Session() as session:
            return [x.shape.as_list() for x in made], session.run(made, {records: [record] * 2, contents: picture})
