"""`tf.nn.experimental`."""

from tfcompat.nn._dropout import general_dropout as general_dropout
from tfcompat.nn._dropout import stateless_dropout as stateless_dropout
