"""How well two classes are told apart: confusion and its rates, every threshold of a score, tests of areas."""
