"""`tf.lookup`: tables, which live on the host."""

from tfcompat._package.missing import missing as _missing
from tfcompat.lookup import experimental as experimental
from tfcompat.lookup._static import KeyValueTensorInitializer as KeyValueTensorInitializer
from tfcompat.lookup._static import StaticHashTable as StaticHashTable
from tfcompat.lookup._static import StaticVocabularyTable as StaticVocabularyTable
from tfcompat.lookup._static import TextFileIndex as TextFileIndex
from tfcompat.lookup._static import TextFileInitializer as TextFileInitializer

__getattr__ = _missing("tf.lookup")
