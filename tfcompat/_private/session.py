"""tensorflow/python/client/session.py."""
from tfcompat.compat._sessions import InteractiveSession as InteractiveSession
from tfcompat.compat._sessions import Session as Session
