"""`tf.io`: files, pictures, records, serialized examples. All on the host."""

from tfcompat._package.missing import missing as _missing
from tfcompat.io import gfile as gfile
from tfcompat.io._decode import decode_base64 as decode_base64
from tfcompat.io._decode import decode_compressed as decode_compressed
from tfcompat.io._decode import decode_csv as decode_csv
from tfcompat.io._decode import decode_raw as decode_raw
from tfcompat.io._decode import encode_base64 as encode_base64
from tfcompat.io._decode import parse_tensor as parse_tensor
from tfcompat.io._decode import serialize_tensor as serialize_tensor
from tfcompat.io._files import matching_files as matching_files
from tfcompat.io._files import read_file as read_file
from tfcompat.io._files import write_file as write_file
from tfcompat.io._graphs import write_graph as write_graph
from tfcompat.io._image import decode_and_crop_jpeg as decode_and_crop_jpeg
from tfcompat.io._image import decode_bmp as decode_bmp
from tfcompat.io._image import decode_gif as decode_gif
from tfcompat.io._image import decode_image as decode_image
from tfcompat.io._image import decode_jpeg as decode_jpeg
from tfcompat.io._image import decode_png as decode_png
from tfcompat.io._image import decode_webp as decode_webp
from tfcompat.io._image import encode_jpeg as encode_jpeg
from tfcompat.io._image import encode_png as encode_png
from tfcompat.io._image import extract_jpeg_shape as extract_jpeg_shape
from tfcompat.io._image import is_jpeg as is_jpeg
from tfcompat.io._parse import FixedLenFeature as FixedLenFeature
from tfcompat.io._parse import FixedLenSequenceFeature as FixedLenSequenceFeature
from tfcompat.io._parse import SparseFeature as SparseFeature
from tfcompat.io._parse import VarLenFeature as VarLenFeature
from tfcompat.io._parse import parse_example as parse_example
from tfcompat.io._parse import parse_single_example as parse_single_example
from tfcompat.io._protos import decode_json_example as decode_json_example
from tfcompat.io._protos import decode_proto as decode_proto
from tfcompat.io._protos import encode_proto as encode_proto
from tfcompat.io._ragged_feature import RaggedFeature as RaggedFeature
from tfcompat.io._records import TFRecordOptions as TFRecordOptions
from tfcompat.io._records import TFRecordWriter as TFRecordWriter
from tfcompat.io._sequences import parse_sequence_example as parse_sequence_example
from tfcompat.io._sequences import parse_single_sequence_example as parse_single_sequence_example
from tfcompat.io._sparse_texts import deserialize_many_sparse as deserialize_many_sparse
from tfcompat.io._sparse_texts import serialize_many_sparse as serialize_many_sparse
from tfcompat.io._sparse_texts import serialize_sparse as serialize_sparse

_HINTS = {
    "match_filenames_once": "tf.io.matching_files",
    "decode_jxl": "tf.io.decode_image of PNG or JPEG",
}
__getattr__ = _missing("tf.io", hints=_HINTS)
