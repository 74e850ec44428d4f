"""Benchmarks: sumlearn against its rivals on the same data, for the same result; see README.md."""
