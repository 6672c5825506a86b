"""`tf.data.experimental.make_batched_features_dataset`: files of examples, in batches."""

from rows import raised, row


def _written(tf, folder):
    for name, start in (("a", 0), ("b", 10)):
        with tf.io.TFRecordWriter(f"{folder}/{name}.rec") as writer:
            for i in range(3):
                x = tf.train.Feature(int64_list=tf.train.Int64List(value=[start + i]))
                y = tf.train.Feature(float_list=tf.train.FloatList(value=[i] * i))
                writer.write(
                    tf.train.Example(features=tf.train.Features(feature={"x": x, "y": y})).SerializeToString()
                )
    return {"x": tf.io.FixedLenFeature([], tf.int64), "y": tf.io.VarLenFeature(tf.float32)}


def _seen(tf, dataset, most=4):
    def dense(part):
        return tf.sparse.to_dense(part) if isinstance(part, tf.SparseTensor) else part

    return [tf.nest.map_structure(dense, element) for element in dataset.take(most)]


@row
def batches_of_files_of_examples(tf, folder):
    features, make = _written(tf, folder), tf.data.experimental.make_batched_features_dataset
    every, in_order = f"{folder}/*.rec", {"num_epochs": 1, "shuffle": False}

    def with_keys(name):
        return tf.data.TFRecordDataset(name).map(lambda example: ("key", example))

    made = [
        make(every, 4, features, **in_order), make(every, 4, features, drop_final_batch=True, **in_order),
        make([f"{folder}/b.rec", f"{folder}/a.rec"], 2, features, label_key="x", num_epochs=2, shuffle=False),
        make(every, 4, features, shuffle=False), make(every, 2, features, reader_num_threads=2, **in_order),
        make(every, 2, features, tf.data.TFRecordDataset, reader_args=[""], **in_order),
        make(every, 2, features, with_keys, **in_order), make(every, 12, features, num_epochs=2, shuffle_seed=3),
        make(every, 4, features, num_epochs=2, shuffle_buffer_size=3, shuffle_seed=5, reader_num_threads=2),
    ]  # fmt: skip
    specs = [str(dataset.element_spec["x"]) for dataset in made if isinstance(dataset.element_spec, dict)]
    return [_seen(tf, dataset) for dataset in made], specs


@row
def files_of_examples_that_are_not_there(tf, folder):
    features, make = _written(tf, folder), tf.data.experimental.make_batched_features_dataset
    return [
        raised(lambda: make(f"{folder}/*.rec", 2, features, label_key="q"), "(q) must be one of the `features` keys"),
        raised(lambda: list(make(f"{folder}/*.no", 2, features, num_epochs=1)), "No files matched pattern"),
    ]
