"""Networks: layers of simple functions, one on top of the other."""
