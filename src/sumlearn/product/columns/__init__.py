"""Which columns of a table a model reads: for `sumlearn select` and `sumlearn train --features`."""
