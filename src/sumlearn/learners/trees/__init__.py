"""Trees: splits of one column at a time, and what the leaves say; rules that are read off them."""
