"""`prefetch` and `cache`."""

import atexit
import os
import threading
import weakref

import numpy as np

from tfcompat import dtypes
from tfcompat._formats.damage import refusing
from tfcompat._formats.whole import Replacing, in_tf_terms, make_folder
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import UnaryDataset
from tfcompat.data._element import is_dense
from tfcompat.engine import _interrupts
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import DataLossError, InvalidArgumentError, UnimplementedError
from tfcompat.saved_model._array_files import load_arrays

_running: weakref.WeakSet = weakref.WeakSet()


class _PrefetchDataset(UnaryDataset):
    def __init__(self, dataset, buffer_size):
        super().__init__(dataset)
        if buffer_size < -1:
            raise InvalidArgumentError(None, None, "buffer_size must be greater than or equal to 0 or tf.data.AUTOTUNE")
        self._size = DATASETS.ahead if buffer_size == -1 else buffer_size

    def _blocks(self, run, size):
        if not self._size:
            yield from self._input._blocks(run, size)
            return
        ahead = _Ahead(self._input, run, min(size, self._size), self._size)
        try:
            while (block := ahead.next()) is not None:
                yield block
        finally:
            ahead.stop()


class _Ahead:
    """A thread that computes blocks ahead. At most `room` elements and one more block wait to be taken."""

    def __init__(self, dataset, run, size, room):
        self._blocks, self._waiting = [], 0
        self._room, self._stopped, self._ended = room, False, False
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        # The thread holds no reference to the generator that uses it, so that dropping the generator ends it.
        self._thread = threading.Thread(
            target=self._work, args=(dataset, run, size), name="tf.data.prefetch", daemon=True
        )
        _running.add(self)
        try:
            self._thread.start()  # waits until the thread runs, which an interrupt may end
        except BaseException:
            self._let_go()
            raise

    def _work(self, dataset, run, size):
        source = dataset._blocks(run, size)
        try:
            for block in source:
                if not self._put(block):
                    return
        except BaseException as error:  # a BaseException, too, must reach the waiting consumer
            self._put(_block.failed(error))
        finally:
            source.close() if hasattr(source, "close") else None
            with self._lock:
                self._ended = True
                self._changed.notify_all()

    def _put(self, block):
        with self._lock:
            while self._waiting >= self._room and not self._stopped:
                _interrupts.wait(self._changed)
            if self._stopped:
                return False
            self._blocks.append(block)
            self._waiting += max(block.size, 1)
            self._changed.notify_all()
            return True

    def next(self):
        """The next block, or None at the end."""
        with self._lock:
            while not self._blocks and not self._ended:
                _interrupts.wait(self._changed)
            if not self._blocks:
                return None
            block = self._blocks.pop(0)
            self._waiting -= max(block.size, 1)
            self._changed.notify_all()
            return block

    def stop(self):
        """Ends the thread, once the element that it computes is done."""
        self._let_go()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=10)

    def _let_go(self):
        with self._lock:
            self._stopped = True
            self._blocks.clear()
            self._changed.notify_all()


@atexit.register
def _stop_all():
    for ahead in list(_running):
        ahead.stop()


class CacheDataset(UnaryDataset):
    """What `Dataset.cache` returns."""

    def __init__(self, dataset, filename):
        super().__init__(dataset)
        self._file = filename
        self._cached = None
        self._lock = threading.Lock()

    def _indexed(self):
        blocks = self._cached
        if blocks is None or len(blocks) != 1:
            return None
        return blocks[0].size, blocks[0].picked

    def _blocks(self, run, size):
        if self._cached is None and self._file and os.path.exists(self._path):
            self._cached = self._read()
        if self._cached is None:
            yield from self._filled(run, size)
            return
        for block in self._cached:
            for start in range(0, block.size, size):
                yield block.part(start, start + size)

    def _filled(self, run, size):
        """Hands on the elements, and keeps them once all have come, or with the last one if it is known."""
        blocks, complete, remaining = [], True, self._input._count()
        for block in self._input._blocks(run, size):
            remaining -= block.size
            if block.error is not None:
                complete = False
            else:
                blocks.append(block)
                if complete and remaining == 0:
                    self._keep(blocks)
            yield block
        if complete and remaining != 0:
            self._keep(blocks)

    def _keep(self, blocks):
        with self._lock:
            if self._cached is None:
                merged = _in_few(blocks)
                if self._file:
                    self._write(merged)
                self._cached = merged

    @property
    def _path(self):
        return f"{self._file}.cache.npz"

    def _write(self, blocks):
        arrays, number = {}, 0
        for block in blocks:
            for i in range(block.size):
                for place, leaf in enumerate(block.row(i)):
                    if not isinstance(leaf, np.ndarray):
                        raise UnimplementedError(
                            None, None, "tf.data.Dataset.cache(filename) takes tensors only: use cache()"
                        )
                    if leaf.dtype.kind == "O":
                        data = b"".join(leaf.ravel().tolist())
                        arrays[f"t{number}_{place}"] = np.frombuffer(data, np.uint8)
                        arrays[f"n{number}_{place}"] = np.array([len(x) for x in leaf.ravel().tolist()], np.int64)
                        arrays[f"s{number}_{place}"] = np.array(leaf.shape, np.int64)
                    elif dtypes.from_numpy(leaf.dtype) is dtypes.bfloat16:
                        arrays[f"b{number}_{place}"] = leaf.view(np.uint16)
                    else:
                        arrays[f"a{number}_{place}"] = leaf
                number += 1
        with in_tf_terms(self._path):
            make_folder(os.path.dirname(self._path))
            with Replacing(self._path) as file:
                np.savez(file, count=np.int64(number), **arrays)

    def _read(self):
        specs = self._input._flat_specs()
        blocks = []
        file = load_arrays(self._path)
        with refusing(self._path, DataLossError, ValueError, TypeError):
            for number in range(int(file["count"])):
                leaves = []
                for place, spec in enumerate(specs):
                    key = f"{number}_{place}"
                    if not is_dense(spec):
                        raise UnimplementedError(None, None, "a cache file of components that are not tensors")
                    if f"t{key}" in file:
                        data, lengths = file[f"t{key}"].tobytes(), file[f"n{key}"]
                        ends = np.cumsum(lengths).tolist()
                        texts = np.empty(len(ends), object)
                        texts[:] = [data[end - n : end] for end, n in zip(ends, lengths.tolist(), strict=True)]
                        leaves.append(texts.reshape(file[f"s{key}"]))
                    elif f"b{key}" in file:
                        leaves.append(file[f"b{key}"].view(dtypes.bfloat16.np))
                    else:
                        leaves.append(file[f"a{key}"])
                blocks.append(_block.single(leaves))
        return _in_few(blocks)


def _in_few(blocks) -> list[Block]:
    """The blocks, joined where all elements are arrays of one shape."""
    if not blocks:
        return []
    joined = _block.joined(blocks)
    return [joined]
