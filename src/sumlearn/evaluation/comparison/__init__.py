"""Which is better: tests of scores over splits and over data sets."""
