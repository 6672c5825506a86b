"""CRC-32C, masked as in TensorFlow's files. Long data are worked on in lanes, by NumPy."""

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LANES = 4096
_ONE = 1 << 16  # bytes from which lanes pay


@functools.cache
def _table():
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(_POLYNOMIAL), values >> 1).astype(np.uint32)
    return values


@functools.cache
def _list():
    return _table().tolist()


def extend(crc, data):
    """The checksum of what `crc` is of, followed by the bytes `data`."""
    data = memoryview(data).cast("B")
    if len(data) >= _ONE:
        length = len(data) // _LANES
        head = data[: length * _LANES]
        crc = _in_lanes(crc, np.frombuffer(head, np.uint8).reshape(_LANES, length))
        data = data[length * _LANES :]
    table = _list()
    crc ^= 0xFFFFFFFF
    for byte in bytes(data):
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _in_lanes(crc, lanes):
    table = _table()
    state = np.zeros(len(lanes), np.uint32)
    for column in np.ascontiguousarray(lanes.T):
        state = table[(state ^ column) & 0xFF] ^ (state >> np.uint32(8))
    advance = _advance_by(lanes.shape[1])
    crc ^= 0xFFFFFFFF
    for lane in state.tolist():
        crc = (advance[0][crc & 0xFF] ^ advance[1][crc >> 8 & 0xFF] ^ advance[2][crc >> 16 & 0xFF]
               ^ advance[3][crc >> 24] ^ lane)  # fmt: skip
    return crc ^ 0xFFFFFFFF


@functools.lru_cache(maxsize=64)
def _advance_by(count):
    """Tables, one for each byte of the state, of what `count` zero bytes make of it."""
    columns = _power([_step(1 << bit) for bit in range(32)], count)
    tables = []
    for byte in range(4):
        table = [0] * 256
        for value in range(256):
            table[value] = _times(columns, value << 8 * byte)
        tables.append(table)
    return tables


def _step(state):
    return _list()[state & 0xFF] ^ (state >> 8)


def _times(columns, vector):
    result, bit = 0, 0
    while vector:
        if vector & 1:
            result ^= columns[bit]
        vector >>= 1
        bit += 1
    return result


def _power(columns, exponent):
    result = [1 << bit for bit in range(32)]
    while exponent:
        if exponent & 1:
            result = [_times(columns, column) for column in result]
        columns = [_times(columns, column) for column in columns]
        exponent >>= 1
    return result


def mask(crc):
    """The checksum as it is stored."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked(*parts):
    """The stored checksum of parts, one after another."""
    crc = 0
    for part in parts:
        crc = extend(crc, part)
    return mask(crc)
