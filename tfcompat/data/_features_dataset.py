"""`tf.data.experimental.make_batched_features_dataset`."""

from tfcompat.data._dataset import AUTOTUNE, Dataset
from tfcompat.data._readers import TFRecordDataset
from tfcompat.io import parse_example


def make_batched_features_dataset(file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None,
                                  num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                                  prefetch_buffer_size=None, reader_num_threads=None, parser_num_threads=None,
                                  sloppy_ordering=False, drop_final_batch=False):  # fmt: skip
    """Batches of parsed `tf.train.Example`s from files.

    Args:
      file_pattern: pattern of file names, or several.
      batch_size: int.
      features: dict as of `tf.io.parse_example`.
      reader: function from a file name to a dataset of serialized examples, or of pairs of which the second is one;
        `tf.data.TFRecordDataset` by default.
      label_key: name of the feature that is the second component of an element, or None.
      reader_args: list of more arguments of `reader`, or None.
      num_epochs: int; None for no end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how examples are shuffled.
      prefetch_buffer_size: int; by default the dataset decides.
      reader_num_threads: how many files are read in turn; 1 by default.
      parser_num_threads: how many batches are parsed at once; 2 by default.
      sloppy_ordering: ignored: the order is always the same.
      drop_final_batch: whether a smaller batch at the end is left out.

    Returns:
      Dataset of dicts from names to tensors; of pairs of such a dict and a tensor if there is a `label_key`.

    Raises:
      ValueError: `label_key` is no key of `features`.
      tf.errors.InvalidArgumentError: no file matches.

    TF: `tf.data.experimental.make_batched_features_dataset`.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    read, arguments = TFRecordDataset if reader is None else reader, reader_args or ()
    files = Dataset.list_files(file_pattern, shuffle, shuffle_seed)
    threads = 1 if reader_num_threads is None else reader_num_threads
    dataset = files.interleave(lambda name: read(name, *arguments), threads, 1)
    if isinstance(dataset.element_spec, tuple):
        if len(dataset.element_spec) != 2:
            raise ValueError("`reader` must return a dataset of examples, or of pairs of a key and an example.")
        dataset = dataset.map(lambda _, example: example)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_final_batch or num_epochs is None)
    dataset = dataset.map(lambda examples: parse_example(examples, features), parser_num_threads or 2)
    if label_key is not None:
        dataset = dataset.map(lambda parsed: (parsed, parsed.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
