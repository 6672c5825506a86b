"""Random programs, compared with what TensorFlow makes of them."""
