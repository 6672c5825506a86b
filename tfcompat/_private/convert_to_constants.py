"""tensorflow/python/framework/convert_to_constants.py."""
from tfcompat.compat._frozen import convert_variables_to_constants_v2 as convert_variables_to_constants_v2
from tfcompat.compat._graph_defs import convert_variables_to_constants as convert_variables_to_constants
