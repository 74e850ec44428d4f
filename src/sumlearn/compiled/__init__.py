"""Numba loops: arrays and numbers in, arrays out; no classes.

Every function is compiled once per machine (``cache=True``), releases the GIL, and takes no function as an
argument, so that a second process compiles nothing.
"""
