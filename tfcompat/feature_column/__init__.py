"""`tf.feature_column`: how features become the inputs of a model, in the layer `tf.keras.layers.DenseFeatures`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.feature_column._categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from tfcompat.feature_column._categorical import categorical_column_with_identity as categorical_column_with_identity
from tfcompat.feature_column._categorical import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from tfcompat.feature_column._categorical import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
from tfcompat.feature_column._categorical import crossed_column as crossed_column
from tfcompat.feature_column._categorical import weighted_categorical_column as weighted_categorical_column
from tfcompat.feature_column._dense import bucketized_column as bucketized_column
from tfcompat.feature_column._dense import embedding_column as embedding_column
from tfcompat.feature_column._dense import indicator_column as indicator_column
from tfcompat.feature_column._dense import make_parse_example_spec as make_parse_example_spec
from tfcompat.feature_column._dense import numeric_column as numeric_column
from tfcompat.feature_column._dense import shared_embeddings as shared_embeddings
from tfcompat.feature_column._sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from tfcompat.feature_column._sequence import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from tfcompat.feature_column._sequence import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
)
from tfcompat.feature_column._sequence import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
)
from tfcompat.feature_column._sequence import (
    sequence_numeric_column as sequence_numeric_column,
)

__getattr__ = _missing("tf.feature_column")
