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


_PIECE = 64  # bytes


def masked_of_many(parts):
    """The stored checksums of parts, bytes of any lengths, worked on together; a list of ints."""
    lengths = [len(part) for part in parts]
    if sum(lengths) < 1024:
        return [masked(part) for part in parts]
    pieces = [max(1, -(-n // _PIECE)) for n in lengths]
    data = np.zeros(sum(pieces) * _PIECE, np.uint8)
    end = 0
    for part, length, count in zip(parts, lengths, pieces, strict=True):
        end += count * _PIECE
        start = end - length
        # Zeros in front change nothing if the state is zero; the initial state of ones is that of the first four bytes.
        data[start:end] = np.frombuffer(part, np.uint8)
        data[start : min(start + 4, end)] ^= 0xFF
    table, advance = _table(), _advance_by(_PIECE)
    state = np.zeros(len(data) // _PIECE, np.uint32)
    for column in np.ascontiguousarray(data.reshape(-1, _PIECE).T):
        state = table[(state ^ column) & 0xFF] ^ (state >> np.uint32(8))
    states, place, found = state.tolist(), 0, []
    a, b, c, d = advance
    for part, length, count in zip(parts, lengths, pieces, strict=True):
        if length < 4:
            place += count
            found.append(masked(part))
            continue
        crc = states[place]
        for one in states[place + 1 : place + count]:
            crc = a[crc & 0xFF] ^ b[crc >> 8 & 0xFF] ^ c[crc >> 16 & 0xFF] ^ d[crc >> 24] ^ one
        place += count
        found.append(mask(crc ^ 0xFFFFFFFF))
    return found
