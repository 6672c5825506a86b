"""`tf.train.Checkpoint`: variables of an object and of what it holds, in files that TensorFlow reads and writes."""

import os

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core import graphs
from tfcompat._core import restoring as _restoring
from tfcompat._core.containers import wrapped
from tfcompat._core.dependencies import SavesTensors, Trackable, note_dependency
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.restoring import waiting
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable import Variable
from tfcompat._package.logging import logger
from tfcompat.distribute._variables import outside_of_replicas
from tfcompat.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.train import _state
from tfcompat.train._bundle import Reader, write
from tfcompat.train._objects import GRAPH_KEY, children, described, has_value, is_trackable, parsed, walk
from tfcompat.train._options import saved

_ITERATOR = "ITERATOR"  # the attribute under which TensorFlow saves the position of an iterator


class Checkpoint:
    """Saves and restores variables, by the names of the attributes that lead to them.

    Args:
      root: object whose attributes count as those of the checkpoint; modules, layers, models, optimizers, lists,
        tuples and dicts of these.
      **kwargs: further objects by name; they become attributes.

    Raises:
      ValueError: something that holds no variables, as a number; a name of `root`'s again.

    The files are TensorFlow's, of one shard: each reads what the other wrote. A save takes the place of files of the
    same name at once, when it is complete.
    TF: `tf.train.Checkpoint`.
    """

    def __init__(self, root=None, **kwargs):
        self._root = root
        taken = dict(children(root)) if root is not None else {}
        for name, value in kwargs.items():
            if callable(value) and not is_trackable(value):
                value = value()
            if not (is_trackable(value) or value == [] or value == {}):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), "
                    f"got {value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow "
                    "Python API and manages state), please open an issue."
                )
            if name in taken and taken[name] is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                )
            setattr(self, name, value)
        self._names = sorted(kwargs)
        self._save_counter = None
        self._deferred = None

    def __setattr__(self, name, value):
        note_dependency(self, name, value)
        object.__setattr__(self, name, value if name.startswith("_") else wrapped(value))
        _restoring.has_attribute(self, name)

    def _checkpoint_children(self):
        children_by_name = dict(children(self._root)) if self._root is not None else {}
        untracked = self.__dict__.get("_untracked_names", ())
        for name, value in sorted(vars(self).items()):
            if not name.startswith("_") and name not in untracked and is_trackable(value):
                children_by_name[name] = value
        if self._save_counter is not None:
            children_by_name["save_counter"] = self._save_counter
        return list(children_by_name.items())

    @property
    def save_counter(self):
        """An int64 variable that counts the saves."""
        if self._save_counter is None:
            with graphs.paused(), engine.eager_scope():
                self._save_counter = Variable(np.int64(0), trainable=False, name="save_counter")
        return self._save_counter

    def write(self, file_prefix, options=None):
        """Writes a checkpoint.

        Args:
          file_prefix: path, to which endings are added.
          options: CheckpointOptions.

        Returns:
          The path, a str.
        """
        graph, variables = described(self)
        text = np.empty((), object)
        text[()] = graph
        tensors = {GRAPH_KEY: (dtypes.string, text)}
        for key, value in variables.items():
            if isinstance(value, GraphVariable):
                value = value.dtype, value.eval()
            elif isinstance(value, Variable):
                value = value.dtype, engine.array_of(value._current_node())
            tensors[key] = value
        path = os.fspath(file_prefix)
        write(path, tensors)
        saved(options, path)
        return path

    def save(self, file_prefix, options=None):
        """Writes a checkpoint with a number of its own, and notes that it is the latest in its folder.

        Args:
          file_prefix: path, to which `-1`, `-2`... and endings are added.
          options: CheckpointOptions.

        Returns:
          The path with the number, a str.
        """
        with graphs.paused():
            self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter.numpy())}", options)
        _state.update(os.path.dirname(path), path, [path])
        return path

    def read(self, save_path, options=None):
        """Restores what `write` wrote.

        Args:
          save_path: path without endings.
          options: CheckpointOptions.

        Returns:
          `CheckpointLoadStatus`. Variables that are made later, when layers are built, get their values then.

        Raises:
          tf.errors.NotFoundError: no such checkpoint.
          tf.errors.DataLossError: it is damaged.
          tf.errors.InvalidArgumentError: a variable has another dtype.
          ValueError: a variable has another shape.
          After an error, all variables have the values that they had.
        """
        status = CheckpointLoadStatus(self, os.fspath(save_path))
        self._deferred = status if status.resume() else None
        return status

    def restore(self, save_path, options=None):
        """Restores what `save` wrote; as `read`.

        Args:
          save_path: path without endings, or the folder of a SavedModel of TensorFlow's, of which the variables are
            restored. With None nothing is.
          options: CheckpointOptions.
        """
        if save_path is None:
            return InitializationOnlyStatus(self)
        if os.path.isfile(os.path.join(save_path, "saved_model.pb")):
            save_path = os.path.join(save_path, "variables", "variables")
        counter = self._save_counter
        self.save_counter  # noqa: B018
        try:
            return self.read(save_path)
        except NotFoundError as error:
            self._save_counter = counter
            raise NotFoundError(
                None, None,
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' "
                "in 'path/to/ckpt-1').",
            ) from None  # fmt: skip
        except Exception:
            self._save_counter = counter
            raise

    def sync(self):
        """Nothing: saving is done when it returns."""


class CheckpointLoadStatus:
    """What a restoration has done. TF: what `tf.train.Checkpoint.restore` returns."""

    def __init__(self, root, path):
        self._root, self._reader, self._path = root, Reader(path), path
        if GRAPH_KEY not in self._reader:
            raise UnimplementedError(
                None, None,
                f"{path}: a checkpoint of TensorFlow 1, without objects; read it with tf.train.load_checkpoint",
            )  # fmt: skip
        try:
            self._nodes = parsed(self._reader.read(GRAPH_KEY)[()])
        except ValueError as error:
            raise DataLossError(None, None, f"{path}.index: {error}") from error
        self._done = {}  # number of a node -> the object whose value has been restored
        self._loaded_later: list = []  # (variable of a graph, value), while there is no session

    def _load(self, session):
        """Gives variables of a graph their values in a session."""
        for variable, value in self._loaded_later:
            variable.load(value, session)
        self._loaded_later = []

    def resume(self):
        """Restores objects made since the last call. Returns whether values are still waiting."""
        pairs, queue, seen = {}, [(self._root, 0)], set()
        while queue:
            obj, number = queue.pop(0)
            if (id(obj), number) in seen:
                continue
            seen.add((id(obj), number))
            pairs.setdefault(number, obj)
            held = dict(children(obj))
            for name, child_number in self._nodes[number].children.items():
                child = held.get(name)
                if child is None and isinstance(obj, Trackable):
                    child = obj._lookup_dependency(name)  # which may make it
                if child is not None:
                    queue.append((child, child_number))
        for number, obj in list(pairs.items()):
            held = obj._checkpoint_slots() if hasattr(obj, "_checkpoint_slots") else {}
            for variable, name, slot in self._nodes[number].slots:
                of_variable = held.get(getattr(pairs.get(variable), "_unique_id", None), {})
                if name in of_variable:
                    pairs.setdefault(slot, of_variable[name])
        restored, states = [], []
        for number, obj in pairs.items():
            node = self._nodes[number]
            if number in self._done or not node.attributes:
                continue
            if isinstance(obj, Variable) and node.key is not None:
                restored.append((number, obj, self._value(node.key, obj)))
            elif isinstance(obj, SavesTensors) and obj._saved_as in node.attributes:
                key = node.attributes[obj._saved_as]
                states.append((number, obj, [self._reader.read(key + ending) for ending in obj._saved_endings]))
        with outside_of_replicas(), engine.eager_scope():
            for number, variable, value in restored:
                if isinstance(variable, GraphVariable):
                    self._loaded_later.append((variable, value))
                else:
                    variable.assign(value)
                self._done[number] = variable
        if self._loaded_later and graphs.upstairs.default_session() is not None:
            self._load(graphs.upstairs.default_session())
        for number, obj, arrays in states:
            obj._restore_tensors(*arrays)
            self._done[number] = obj
        for number in pairs:
            if _ITERATOR in self._nodes[number].attributes and number not in self._done:
                self._done[number] = pairs[number]
                logger.warning(
                    "The position of an iterator in this checkpoint is TensorFlow's own and cannot be read: the "
                    "iterator starts from the beginning. Use Dataset.skip to continue where it was."
                )
        self._pairs = pairs
        missing = [n for n, node in enumerate(self._nodes) if node.attributes and n not in self._done]
        (waiting.add if missing else waiting.discard)(self)
        # The objects hold the pending restoration: it goes on even if nobody keeps the Checkpoint.
        for obj in pairs.values():
            attributes = getattr(obj, "__dict__", {})
            if missing and not isinstance(obj, Variable | dict | list | tuple):
                attributes["_restoration"] = self
            elif attributes.get("_restoration") is self:
                del attributes["_restoration"]
        return bool(missing)

    def _give_up(self):
        """Waits no longer for variables that do not exist yet."""
        waiting.discard(self)
        for obj in self._pairs.values():
            attributes = getattr(obj, "__dict__", {})
            if attributes.get("_restoration") is self:
                del attributes["_restoration"]

    def waiting_value(self, obj, name, shape, dtype):
        """The array for a child of a matched object; None unless it has this shape and dtype."""
        number = next((number for number, known in self._pairs.items() if known is obj), None)
        child = None if number is None else self._nodes[number].children.get(name)
        key = None if child is None or child in self._done else self._nodes[child].key
        if key is None or self._reader.dtype(key) != dtype:
            return None
        fits = TensorShape(shape).is_compatible_with(TensorShape(self._reader.shape(key)))
        return self._reader.read(key) if fits else None

    def _value(self, key, variable):
        dtype = self._reader.dtype(key)
        if dtype != variable.dtype:
            raise InvalidArgumentError(
                None, None,
                f"tensor_name = {key}; expected dtype {variable.dtype.name} does not equal original dtype {dtype.name}",
            )  # fmt: skip
        shape = TensorShape(self._reader.shape(key))
        if not variable.shape.is_compatible_with(shape):
            raise ValueError(
                f"Received incompatible tensor with shape {shape} when attempting to restore variable with shape "
                f"{variable.shape} and name {variable.name}."
            )
        return self._reader.read(key)

    def _unmatched(self):
        """Variables of the program that the checkpoint has no values for."""
        done = {id(v) for v in self._done.values()}
        objects = walk(self._root)[0]
        slots = [obj._checkpoint_slots() for obj in objects if hasattr(obj, "_checkpoint_slots")]
        objects += [slot for held in slots for named in held.values() for slot in named.values()]
        return [v for v in objects if has_value(v) and id(v) not in done]

    def assert_existing_objects_matched(self):
        """Returns self; AssertionError if a variable of the program has not been restored."""
        self.resume()
        missing = self._unmatched()
        if missing:
            raise AssertionError(
                f"Found {len(missing)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {min(10, len(missing))} of {len(missing)} unmatched objects: "
                f"{missing[:10]}"
            )
        return self

    def assert_consumed(self):
        """Returns self; AssertionError unless the program and the checkpoint have the same variables."""
        self.assert_existing_objects_matched()
        names = self._names()
        for number, node in enumerate(self._nodes):
            if node.attributes and number not in self._done:
                raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node.attributes}")
        return self

    def _names(self):
        names, queue = {0: "(root)"}, [0]
        while queue:
            number = queue.pop(0)
            for name, child in self._nodes[number].children.items():
                if child not in names:
                    names[child] = f"{names[number]}.{name}"
                    queue.append(child)
        return {n: names.get(n, f"object {n}") for n in range(len(self._nodes))}

    def assert_nontrivial_match(self):
        """Returns self; AssertionError if nothing but the root was matched."""
        self.resume()
        if len(self._pairs) <= 1:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
                "does not match the Python program."
            )
        return self

    def expect_partial(self):
        """Returns self. Values that are not used cause no warning here in any case."""
        return self

    def initialize_or_restore(self, session=None):
        """In a graph, restores variables in a session, and initializes those that have no value then."""
        if self._loaded_later:
            self._load(graphs.session_for(session, "restore variables", "initialize_or_restore"))
        _initialize(self._root, session, lambda variable, session: not session.is_initialized(variable))

    def run_restore_ops(self, session=None):
        """Nothing: values are restored already."""


def _initialize(root, session, chosen):
    """Initializes variables of a graph in a session, by default the default one: those for which `chosen` holds."""
    variables = [x for x in walk(root)[0] if isinstance(x, GraphVariable)]
    if variables:
        session = graphs.session_for(session, "initialize variables", "initialize_or_restore")
        session.run([x.initializer for x in variables if chosen(x, session)])


class InitializationOnlyStatus:
    """What `tf.train.Checkpoint.restore(None)` returns."""

    def __init__(self, root):
        self._root = root

    def assert_consumed(self):
        """AssertionError: nothing was restored."""
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self):
        """Returns self."""
        return self

    def initialize_or_restore(self, session=None):
        """In a graph, initializes the variables in a session; others have their initial values."""
        _initialize(self._root, session, lambda variable, session: True)

    def run_restore_ops(self, session=None):
        """AssertionError: nothing was restored."""
        self.assert_consumed()
