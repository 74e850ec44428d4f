"""Methods that know their rows through a kernel alone: k(x, x)."""
