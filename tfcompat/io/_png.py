"""PNG files, without compression filters."""
import struct
import zlib

import numpy as np

_COLORS = {1: 0, 2: 4, 3: 2, 4: 6}


def encode(image, level=-1):
    """The bytes of a PNG file of an image [height, width, channels] of uint8 or uint16, 1 to 4 channels."""
    height, width, channels = image.shape
    kind = image.dtype
    rows = np.ascontiguousarray(image.astype(kind.newbyteorder(">"))).reshape(height, -1).view(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8 * kind.itemsize, _COLORS[channels], 0, 0, 0)
    body = zlib.compress(lines.tobytes(), level)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
