"""Hash functions of bytes: FarmHash's 64-bit fingerprint and SipHash-2-4, as TensorFlow puts text into buckets.

Both are published algorithms; the fingerprint is that of FarmHash (google/farmhash, farmhashna), the keyed one that of
Aumasson and Bernstein's paper.
"""

import functools
import struct

from tfcompat.errors import InvalidArgumentError

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_HIGHEST_INT64 = (1 << 63) - 1


def _rotate(value, bits):
    return ((value >> bits) | (value << (64 - bits))) & _MASK


def _mixed(value):
    return value ^ (value >> 47)


def _word(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def _half_word(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def _combined(u, v, factor):
    a = _mixed(((u ^ v) * factor) & _MASK)
    b = _mixed(((v ^ a) * factor) & _MASK)
    return (b * factor) & _MASK


def _short(data):
    size = len(data)
    factor = (_K2 + size * 2) & _MASK
    if size >= 8:
        a, b = (_word(data, 0) + _K2) & _MASK, _word(data, size - 8)
        c = (_rotate(b, 37) * factor + a) & _MASK
        d = ((_rotate(a, 25) + b) * factor) & _MASK
        return _combined(c, d, factor)
    if size >= 4:
        return _combined((size + (_half_word(data, 0) << 3)) & _MASK, _half_word(data, size - 4), factor)
    if size:
        first, middle, last = data[0], data[size >> 1], data[size - 1]
        return (_mixed(((first + (middle << 8)) * _K2) & _MASK ^ ((size + (last << 2)) * _K0) & _MASK) * _K2) & _MASK
    return _K2


def _medium(data):
    size = len(data)
    factor = (_K2 + size * 2) & _MASK
    a, b = (_word(data, 0) * _K1) & _MASK, _word(data, 8)
    c, d = (_word(data, size - 8) * factor) & _MASK, (_word(data, size - 16) * _K2) & _MASK
    u = (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK
    return _combined(u, (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK, factor)


def _longer(data):
    size = len(data)
    factor = (_K2 + size * 2) & _MASK
    a, b = (_word(data, 0) * _K2) & _MASK, _word(data, 8)
    c, d = (_word(data, size - 8) * factor) & _MASK, (_word(data, size - 16) * _K2) & _MASK
    y = (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK
    z = _combined(y, (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK, factor)
    e, f = (_word(data, 16) * factor) & _MASK, _word(data, 24)
    g, h = ((y + _word(data, size - 32)) * factor) & _MASK, ((z + _word(data, size - 24)) * factor) & _MASK
    u = (_rotate((e + f) & _MASK, 43) + _rotate(g, 30) + h) & _MASK
    return _combined(u, (e + _rotate((f + a) & _MASK, 18) + g) & _MASK, factor)


def _weak(w, x, y, z, a, b):
    a = (a + w) & _MASK
    b = _rotate((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _rotate(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def _weak_at(data, at, a, b):
    return _weak(_word(data, at), _word(data, at + 8), _word(data, at + 16), _word(data, at + 24), a, b)


def fingerprint(data):
    """FarmHash's 64-bit fingerprint of bytes."""
    size = len(data)
    if size <= 16:
        return _short(data)
    if size <= 32:
        return _medium(data)
    if size <= 64:
        return _longer(data)
    seed = 81
    x, y = seed, (seed * _K1 + 113) & _MASK
    z = (_mixed((y * _K2 + 113) & _MASK) * _K2) & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + _word(data, 0)) & _MASK
    end = (size - 1) // 64 * 64
    last = end + ((size - 1) & 63) - 63
    at = 0
    while True:
        x = (_rotate((x + y + v[0] + _word(data, at + 8)) & _MASK, 37) * _K1) & _MASK
        y = (_rotate((y + v[1] + _word(data, at + 48)) & _MASK, 42) * _K1) & _MASK
        x ^= w[1]
        y = (y + v[0] + _word(data, at + 40)) & _MASK
        z = (_rotate((z + w[0]) & _MASK, 33) * _K1) & _MASK
        v = _weak_at(data, at, (v[1] * _K1) & _MASK, (x + w[0]) & _MASK)
        w = _weak_at(data, at + 32, (z + w[1]) & _MASK, (y + _word(data, at + 16)) & _MASK)
        z, x = x, z
        at += 64
        if at == end:
            break
    factor = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = last
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = (_rotate((x + y + v[0] + _word(data, at + 8)) & _MASK, 37) * factor) & _MASK
    y = (_rotate((y + v[1] + _word(data, at + 48)) & _MASK, 42) * factor) & _MASK
    x ^= (w[1] * 9) & _MASK
    y = (y + v[0] * 9 + _word(data, at + 40)) & _MASK
    z = (_rotate((z + w[0]) & _MASK, 33) * factor) & _MASK
    v = _weak_at(data, at, (v[1] * factor) & _MASK, (x + w[0]) & _MASK)
    w = _weak_at(data, at + 32, (z + w[1]) & _MASK, (y + _word(data, at + 16)) & _MASK)
    z, x = x, z
    first = (_combined(v[0], w[0], factor) + ((_mixed(y) * _K0) & _MASK) + z) & _MASK
    return _combined(first, (_combined(v[1], w[1], factor) + x) & _MASK, factor)


def keyed_hash(data, key):
    """SipHash-2-4 of bytes with a key of two 64-bit numbers."""
    state = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]

    def turn(times):
        a, b, c, d = state
        for _ in range(times):
            a, b = (a + b) & _MASK, _rotate(b, 51) ^ ((a + b) & _MASK)
            a, c, d = _rotate(a, 32), (c + d) & _MASK, _rotate(d, 48) ^ ((c + d) & _MASK)
            a, d = (a + d) & _MASK, _rotate(d, 43) ^ ((a + d) & _MASK)
            c, b = (c + b) & _MASK, _rotate(b, 47) ^ ((c + b) & _MASK)
            c = _rotate(c, 32)
        state[:] = a, b, c, d

    whole = len(data) // 8 * 8
    words = [
        *struct.unpack(f"<{whole // 8}Q", data[:whole]),
        int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56,
    ]
    for word in words:
        state[3] ^= word
        turn(2)
        state[0] ^= word
    state[2] ^= 0xFF
    turn(4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


_FACTOR = 0xC6A4A7935BD1E995
_CROSS_KEY = 0xDECAFCAFFE


def crossed_bucket(features, buckets, key=None):
    """The bucket of a combination of features, bytes or ints."""
    if buckets < 0:
        raise InvalidArgumentError(None, None, f"num_buckets must not be negative, got {buckets}")
    result = _CROSS_KEY if key is None else key
    for feature in features:
        number = feature & _MASK if isinstance(feature, int) else fingerprint(feature)
        result = _joined(result, number)
    return result % (buckets if buckets > 0 else _HIGHEST_INT64)


def salted_bucket(features, buckets, salt):
    """The bucket of a combination of features, bytes or ints, by a key of two numbers; without it if `salt` is None."""
    numbers = [
        feature & _MASK if isinstance(feature, int) else fingerprint(feature) if salt is None else
        keyed_hash(feature, salt) for feature in features
    ]  # fmt: skip
    return functools.reduce(_joined, numbers) % (buckets if buckets > 0 else _HIGHEST_INT64)


def _joined(first, second):
    """The hash of two hashes, as `FingerprintCat64` has it."""
    result = first ^ _FACTOR ^ (_mixed((second * _FACTOR) & _MASK) * _FACTOR) & _MASK
    result = (result * _FACTOR) & _MASK
    result = (_mixed(result) * _FACTOR) & _MASK
    return _mixed(result)


def bucket_hash(data):
    """TensorFlow's own 64-bit hash of bytes (hash.cc, Hash64): MurmurHash64A."""
    size = len(data)
    result = (_CROSS_KEY ^ (size * _FACTOR)) & _MASK
    whole = size // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        word = (_mixed((word * _FACTOR) & _MASK) * _FACTOR) & _MASK
        result = ((result ^ word) * _FACTOR) & _MASK
    if size > whole:
        result = ((result ^ int.from_bytes(data[whole:], "little")) * _FACTOR) & _MASK
    return _mixed((_mixed(result) * _FACTOR) & _MASK)
