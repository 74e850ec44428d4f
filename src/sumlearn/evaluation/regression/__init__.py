"""How good predictions of numbers are: errors, and scores with limits."""
