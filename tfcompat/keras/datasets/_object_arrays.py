"""Arrays of lists of integers as NumPy writes them into files, which is as pickles.

A pickle is a program for a machine with a stack. What it may do here is to make integers, lists of them, and the one
array that NumPy makes: the functions that it names are compared with those of NumPy, and never looked up or called.
"""

import numpy as np

_RECONSTRUCT = ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct")
_ENCODE = "_codecs encode"  # as which Python 3 writes bytes for Python 2
_KNOWN = {*_RECONSTRUCT, _ENCODE, "numpy ndarray", "numpy dtype"}


def lists(data, shape):
    """The array in a pickle.

    Args:
      data: bytes.
      shape: tuple of ints, which it must have.

    Returns:
      NumPy array of lists of ints.

    Raises:
      ValueError: it is damaged, or is something else.
    """
    try:
        made = _Machine(data).run()
    except (IndexError, KeyError) as error:
        raise ValueError("a pickled array ends early, or is damaged") from error
    values = _values(made, shape)
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        if type(value) is not list or not set(map(type, value)) <= {int}:
            raise ValueError(f"item {i} of a pickled array is no list of integers")
        array[i] = value
    return array


def _values(made, shape):
    """The items of what a pickle has made."""
    if type(made) is not _Made or made.function not in _RECONSTRUCT:
        raise ValueError("a pickle is none of an array")
    match made.state:
        case (1, tuple() as found, _Made(function="numpy dtype"), _, list() as values) if found == (len(values),):
            if found == shape:
                return values
    raise ValueError(f"a pickled array is damaged, or none of lists: one of shape {shape} is expected")


class _Name(str):
    """Of a function or class, with its module."""

    __slots__ = ()


class _Made:
    """What a call of NumPy's would make, and the state that it is given."""

    def __init__(self, function):
        self.function = function
        self.state = None


class _Machine:
    """Runs the program `data`, as far as it makes arrays of lists of integers."""

    def __init__(self, data):
        self.data = data
        self.at = 0
        self.stack = []
        self.below = []  # the stacks below marks
        self.memo = {}

    def run(self):
        """What is on the stack at the end. Raises IndexError or KeyError, too, where the program is damaged."""
        data, at, stack, rare = self.data, 0, self.stack, _RARE
        while True:
            code = data[at]
            if code == 0x4B:  # an integer of one byte
                stack.append(data[at + 1])
                at += 2
            elif code == 0x4D:  # of two
                stack.append(data[at + 1] | data[at + 2] << 8)
                at += 3
            elif code == 0x2E:  # the end
                return stack.pop()
            else:
                if code not in rare:
                    raise ValueError(f"a pickled array of lists of integers has no instruction {code:#x}")
                self.at = at + 1
                rare[code](self)
                at, stack = self.at, self.stack

    # --- parts of instructions -------------------------------------------------------------------------------

    def taken(self, size):
        """The next bytes."""
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise IndexError("no more bytes")
        return self.data[start : self.at]

    def number(self, size):
        return int.from_bytes(self.taken(size), "little")

    def text(self, size, encoding):
        try:
            return self.taken(self.number(size)).decode(encoding)
        except UnicodeDecodeError as error:
            raise ValueError("text in a pickled array is damaged") from error

    def line(self):
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise IndexError("no more lines")
        return self.taken(end + 1 - self.at)[:-1].decode("latin-1")

    # --- instructions ----------------------------------------------------------------------------------------

    def push(self, value):
        self.stack.append(value)

    def mark(self):
        self.below.append(self.stack)
        self.stack = []

    def since_mark(self):
        items, self.stack = self.stack, self.below.pop()
        return items

    def extend(self, items):
        if type(self.stack[-1]) is not list:
            raise ValueError("a pickled array is damaged: what has no items gets some")
        self.stack[-1].extend(items)

    def tuple_of(self, count):
        if len(self.stack) < count:
            raise IndexError("the stack is empty")
        self.stack[len(self.stack) - count :] = [tuple(self.stack[len(self.stack) - count :])]

    def keep(self, place):
        self.memo[place] = self.stack[-1]

    def name(self, module, name):
        full = f"{module} {name}".replace("__builtin__", "builtins")
        if full not in _KNOWN:
            raise ValueError(f"a file refers to {module}.{name}, which is no part of an array of lists: it is not read")
        self.push(_Name(full))

    def name_of_stack(self):
        name, module = self.stack.pop(), self.stack.pop()
        self.name(module, name)

    def call(self):
        arguments, function = self.stack.pop(), self.stack.pop()
        match function, arguments:
            case _Name(), (str() as text, "latin1") if function == _ENCODE:
                self.push(text.encode("latin-1", "replace"))
            case _Name(), (_Name() as kind, (0,), b"b" | "b") if function in _RECONSTRUCT and kind == "numpy ndarray":
                self.push(_Made(function))
            case _Name(), ("O8" | "O4" | "|O8" | "|O4" | "|O", *_) if function == "numpy dtype":
                self.push(_Made(function))
            case _:
                raise ValueError("a file calls what is no part of an array of lists: it is not read")

    def set_state(self):
        state = self.stack.pop()
        if type(self.stack[-1]) is not _Made or self.stack[-1].state is not None:
            raise ValueError("a pickled array is damaged: what has no state gets one")
        self.stack[-1].state = state


_RARE = {
    0x80: lambda m: m.taken(1),  # the protocol
    0x95: lambda m: m.taken(8),  # the size of a frame
    0x4A: lambda m: m.push(int.from_bytes(m.taken(4), "little", signed=True)),
    0x8A: lambda m: m.push(int.from_bytes(m.taken(m.number(1)), "little", signed=True)),
    0x4E: lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    0x43: lambda m: m.push(m.taken(m.number(1))),
    0x42: lambda m: m.push(m.taken(m.number(4))),
    0x55: lambda m: m.push(m.text(1, "latin-1")),
    0x54: lambda m: m.push(m.text(4, "latin-1")),
    0x8C: lambda m: m.push(m.text(1, "utf-8")),
    0x58: lambda m: m.push(m.text(4, "utf-8")),
    0x5D: lambda m: m.push([]),
    0x28: _Machine.mark,
    0x61: lambda m: m.extend([m.stack.pop()]),
    0x65: lambda m: m.extend(m.since_mark()),
    0x29: lambda m: m.push(()),
    0x85: lambda m: m.tuple_of(1),
    0x86: lambda m: m.tuple_of(2),
    0x87: lambda m: m.tuple_of(3),
    0x74: lambda m: m.push(tuple(m.since_mark())),
    0x71: lambda m: m.keep(m.number(1)),
    0x72: lambda m: m.keep(m.number(4)),
    0x94: lambda m: m.keep(len(m.memo)),
    0x68: lambda m: m.push(m.memo[m.number(1)]),
    0x6A: lambda m: m.push(m.memo[m.number(4)]),
    0x63: lambda m: m.name(m.line(), m.line()),
    0x93: _Machine.name_of_stack,
    0x52: _Machine.call,
    0x62: _Machine.set_state,
}
