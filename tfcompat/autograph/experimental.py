"""`tf.autograph.experimental`: options of the conversion."""

from tfcompat.autograph._directives import Feature as Feature
from tfcompat.autograph._directives import do_not_convert as do_not_convert
from tfcompat.autograph._directives import set_loop_options as set_loop_options
