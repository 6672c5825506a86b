"""`tf.strings`: text, which lives on the host."""

from tfcompat._package.missing import missing as _missing
from tfcompat.strings._elementwise import as_string as as_string
from tfcompat.strings._elementwise import length as length
from tfcompat.strings._elementwise import lower as lower
from tfcompat.strings._elementwise import regex_full_match as regex_full_match
from tfcompat.strings._elementwise import regex_replace as regex_replace
from tfcompat.strings._elementwise import strip as strip
from tfcompat.strings._elementwise import substr as substr
from tfcompat.strings._elementwise import to_hash_bucket as to_hash_bucket
from tfcompat.strings._elementwise import to_hash_bucket_fast as to_hash_bucket_fast
from tfcompat.strings._elementwise import to_hash_bucket_strong as to_hash_bucket_strong
from tfcompat.strings._elementwise import to_number as to_number
from tfcompat.strings._elementwise import upper as upper
from tfcompat.strings._parts import bytes_split as bytes_split
from tfcompat.strings._parts import format as format
from tfcompat.strings._parts import join as join
from tfcompat.strings._parts import ngrams as ngrams
from tfcompat.strings._parts import reduce_join as reduce_join
from tfcompat.strings._parts import split as split
from tfcompat.strings._parts import unicode_decode as unicode_decode
from tfcompat.strings._parts import unicode_decode_with_offsets as unicode_decode_with_offsets
from tfcompat.strings._parts import unicode_encode as unicode_encode
from tfcompat.strings._parts import unicode_split as unicode_split
from tfcompat.strings._parts import unicode_split_with_offsets as unicode_split_with_offsets
from tfcompat.strings._parts import unicode_transcode as unicode_transcode
from tfcompat.strings._parts import unsorted_segment_join as unsorted_segment_join
from tfcompat.strings._scripts import unicode_script as unicode_script

__getattr__ = _missing("tf.strings")
