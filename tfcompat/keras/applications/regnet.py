"""`tf.keras.applications.regnet`: Radosavovic and others 2020, arXiv:2003.13678."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications._models.imagenet import decode_predictions as decode_predictions
from tfcompat.keras.applications._models.parts import preprocess_input as preprocess_input
from tfcompat.keras.applications._models.regnet import RegNetX002 as RegNetX002
from tfcompat.keras.applications._models.regnet import RegNetX004 as RegNetX004
from tfcompat.keras.applications._models.regnet import RegNetX006 as RegNetX006
from tfcompat.keras.applications._models.regnet import RegNetX008 as RegNetX008
from tfcompat.keras.applications._models.regnet import RegNetX016 as RegNetX016
from tfcompat.keras.applications._models.regnet import RegNetX032 as RegNetX032
from tfcompat.keras.applications._models.regnet import RegNetX040 as RegNetX040
from tfcompat.keras.applications._models.regnet import RegNetX064 as RegNetX064
from tfcompat.keras.applications._models.regnet import RegNetX080 as RegNetX080
from tfcompat.keras.applications._models.regnet import RegNetX120 as RegNetX120
from tfcompat.keras.applications._models.regnet import RegNetX160 as RegNetX160
from tfcompat.keras.applications._models.regnet import RegNetX320 as RegNetX320
from tfcompat.keras.applications._models.regnet import RegNetY002 as RegNetY002
from tfcompat.keras.applications._models.regnet import RegNetY004 as RegNetY004
from tfcompat.keras.applications._models.regnet import RegNetY006 as RegNetY006
from tfcompat.keras.applications._models.regnet import RegNetY008 as RegNetY008
from tfcompat.keras.applications._models.regnet import RegNetY016 as RegNetY016
from tfcompat.keras.applications._models.regnet import RegNetY032 as RegNetY032
from tfcompat.keras.applications._models.regnet import RegNetY040 as RegNetY040
from tfcompat.keras.applications._models.regnet import RegNetY064 as RegNetY064
from tfcompat.keras.applications._models.regnet import RegNetY080 as RegNetY080
from tfcompat.keras.applications._models.regnet import RegNetY120 as RegNetY120
from tfcompat.keras.applications._models.regnet import RegNetY160 as RegNetY160
from tfcompat.keras.applications._models.regnet import RegNetY320 as RegNetY320

__getattr__ = _missing("tf.keras.applications.regnet")
