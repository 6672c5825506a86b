"""CRC-32C, masked as in TensorFlow's files."""

import google_crc32c


def extend(crc, data):
    """The checksum of what `crc` is of, followed by the bytes `data`."""
    return google_crc32c.extend(crc, data if type(data) is bytes else bytes(data))


def mask(crc):
    """The checksum as it is stored.

    https://github.com/tensorflow/tensorflow/blob/v2.21.0/third_party/xla/xla/tsl/lib/hash/crc32c.h
    """
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked(*parts):
    """The stored checksum of parts, one after another."""
    crc = 0
    for part in parts:
        crc = extend(crc, part)
    return mask(crc)
