"""Values: tensors, variables, shapes and specs, and what turns Python values and ops into them."""
