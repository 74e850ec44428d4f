"""One file per method, in families."""
