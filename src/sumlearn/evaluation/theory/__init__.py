"""Why methods err, as far as theory and simulation say: bias and variance, bounds, the curse of dimension."""
