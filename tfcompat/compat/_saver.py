"""`tf.compat.v1.train.Saver`: checkpoints of the variables of a session, by name."""

import contextlib
import os
import time

import numpy as np

from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._package.logging import logger
from tfcompat.compat._meta_graphs import meta_graph_of, write_message
from tfcompat.compat._scopes import get_default_graph
from tfcompat.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.saved_model._messages import SaverDef
from tfcompat.train import _bundle, _state
from tfcompat.train._early import open_checkpoint
from tfcompat.train._manager import delete


class Saver:
    """Saves and restores variables of a graph, in TensorFlow's files.

    Args:
      var_list: list of variables, or dict from names in the files to variables; by default all global ones, under
        their own names.
      reshape: whether a value of another shape is reshaped to that of its variable.
      sharded: of no effect: there is one file.
      max_to_keep: how many checkpoints stay; 0 or None for all.
      keep_checkpoint_every_n_hours: one of that age stays for good.
      name, restore_sequentially, builder, defer_build, allow_empty, save_relative_paths, filename: of no effect, but
        that no variables are an error without `defer_build` and `allow_empty`.
      saver_def: must be None.
      write_version, pad_step_number: 2, and whether steps are written with eight digits.

    TF: `tf.compat.v1.train.Saver`.
    """

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False, saver_def=None,
                 builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False,
                 save_relative_paths=False, filename=None):  # fmt: skip
        if saver_def is not None or builder is not None:
            raise UnimplementedError(
                None, None, "tf.compat.v1.train.Saver: `saver_def` and `builder` are not available in tfcompat"
            )
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        if graphs.current() is None and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        self._reshape, self._keep, self._hours = reshape, max_to_keep or 0, keep_checkpoint_every_n_hours
        self._pad = pad_step_number
        self._chosen, self._allow_empty = var_list, allow_empty or defer_build
        self._saved: list = []  # (path, time), the latest last
        self._next_kept = time.time() + 3600 * keep_checkpoint_every_n_hours
        if not defer_build:
            self._variables()

    def build(self):
        """Looks up the variables, if that was deferred."""
        self._variables()

    def _variables(self):
        """Dict from names to variables, looked up once."""
        if not isinstance(self._chosen, dict):
            chosen = self._chosen
            if chosen is None:
                graph = graphs.current()
                chosen = [] if graph is None else graph.get_collection("variables")
            if not chosen and not self._allow_empty:
                raise ValueError("No variables to save")
            names = {}
            for variable in chosen:
                if variable._name in names:
                    raise ValueError(f"At least two variables have the same name: {variable._name}")
                names[variable._name] = variable
            self._chosen = names
        return self._chosen

    @property
    def last_checkpoints(self):
        """The paths of the checkpoints that were not deleted, the oldest first."""
        return [path for path, _ in self._saved]

    def set_last_checkpoints(self, last_checkpoints):
        """Replaces the list of paths."""
        self._saved = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """Replaces the list of pairs of path and time."""
        self._saved = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths):
        """Goes on with checkpoints of an earlier process."""
        there = [path for path in checkpoint_paths if os.path.exists(f"{path}.index")]
        self._saved = [(path, os.path.getmtime(f"{path}.index")) for path in there]

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta",
             write_meta_graph=True, write_state=True, strip_default_attrs=False, save_debug_info=False):  # fmt: skip
        """Writes a checkpoint, and the file `checkpoint`, which names the latest ones.

        Args:
          sess: Session that holds the values.
          save_path: prefix of the files.
          global_step: number, or integer tensor or variable, added to the prefix.
          latest_filename: must be None or "checkpoint".
          write_state: whether the file `checkpoint` is written, and old checkpoints are deleted.
          meta_graph_suffix, write_meta_graph: ending of the file with the graph, and whether it is written. A graph
            that cannot be written, see `tf.Graph.as_graph_def`, is left out with a warning.
          strip_default_attrs, save_debug_info: of no effect.

        Returns:
          The prefix.

        Raises:
          ValueError: the folder does not exist.
          tf.errors.FailedPreconditionError: a variable is not initialized.
        """
        if latest_filename not in (None, "checkpoint"):
            raise UnimplementedError(
                None, None, f"tf.compat.v1.train.Saver.save: latest_filename={latest_filename!r}: leave it out"
            )
        prefix = os.fspath(save_path)
        if global_step is not None:
            step = global_step if isinstance(global_step, int | np.integer) else int(sess.run(global_step))
            prefix = f"{prefix}-{step:08d}" if self._pad else f"{prefix}-{step}"
        folder = os.path.dirname(prefix)
        if folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        known = self._variables()
        values = sess.values_of(known.values())
        tensors = {name: (v.dtype, value) for (name, v), value in zip(known.items(), values, strict=True)}
        _bundle.write(prefix, tensors)
        if write_meta_graph and graphs.process.entered:
            self._write_graph(sess.graph, f"{prefix}.{meta_graph_suffix}")
        if write_state:
            self._note(prefix)
            _state.update(folder, prefix, self.last_checkpoints)
        return prefix

    def _note(self, prefix):
        """Adds a checkpoint to the list, and deletes one that is too old."""
        self._saved = [(path, at) for path, at in self._saved if path != prefix] + [(prefix, time.time())]
        while self._keep and len(self._saved) > self._keep:
            path, at = self._saved.pop(0)
            if at > self._next_kept:
                self._next_kept += 3600 * self._hours
            else:
                delete(path)
                with contextlib.suppress(FileNotFoundError):
                    os.remove(f"{path}.meta")

    def restore(self, sess, save_path):
        """Gives the variables the values of a checkpoint; they need not be initialized.

        Raises:
          ValueError: there is no such checkpoint.
          tf.errors.NotFoundError: it lacks a variable.
          tf.errors.InvalidArgumentError: a value has another shape or type.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not any(os.path.exists(f"{os.fspath(save_path)}{ending}") for ending in (".index", "")):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        reader = open_checkpoint(save_path)
        values = {}
        for name, variable in self._variables().items():
            if name not in reader:
                raise NotFoundError(
                    None, None,
                    "Restoring from checkpoint failed. This is most likely due to a Variable name or other graph key "
                    f"that is missing from the checkpoint: Key {name} not found in checkpoint",
                )  # fmt: skip
            value, dtype = reader.read(name), reader.dtype(name)
            shape = variable.shape
            if dtypes.as_dtype(dtype) != variable.dtype:
                raise InvalidArgumentError(
                    None, None,
                    f"Restoring from checkpoint failed: {name} is {dtypes.as_dtype(dtype).name} there, and "
                    f"{variable.dtype.name} in the graph",
                )  # fmt: skip
            if not shape.is_compatible_with(value.shape):
                if not self._reshape:
                    raise InvalidArgumentError(
                        None, None,
                        "Restoring from checkpoint failed. This is most likely due to a mismatch between the current "
                        f"graph and the graph from the checkpoint: {name} has shape {tuple(value.shape)} there, and "
                        f"{shape} in the graph",
                    )  # fmt: skip
                value = value.reshape(shape.as_list())
            values[variable] = value
        for variable, value in values.items():
            sess.load(variable, value)

    def _write_graph(self, graph, path):
        try:
            write_message(path, self._meta_graph(graph))
        except UnimplementedError as error:
            if error.message not in _said:
                _said.add(error.message)
                logger.warning("tf.compat.v1.train.Saver.save: %s is not written: %s", path, error.message)

    def _meta_graph(self, graph, collections=None):
        numbers = SaverDef(max_to_keep=self._keep, keep_checkpoint_every_n_hours=self._hours)
        return meta_graph_of(graph, self._variables(), saver=numbers, collections=collections)

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False, export_scope=None,
                          clear_devices=False, clear_extraneous_savers=False, strip_default_attrs=False,
                          save_debug_info=False):  # fmt: skip
        """The graph as a MetaGraphDef, also written to a file; see `tf.compat.v1.train.export_meta_graph`."""
        if export_scope is not None:
            raise UnimplementedError(
                None, None, "tf.compat.v1.train.Saver.export_meta_graph: export_scope is not available in tfcompat"
            )
        made = self._meta_graph(get_default_graph(), collection_list)
        if filename is not None:
            write_message(filename, made, as_text)
        return made

    def as_saver_def(self):
        """A SaverDef with the numbers of this Saver."""
        return SaverDef(max_to_keep=self._keep, keep_checkpoint_every_n_hours=self._hours, version=2)

    def to_proto(self, export_scope=None):
        """As `as_saver_def`."""
        return self.as_saver_def()


_said: set = set()
