"""Rows of mixed tables as numbers: coded without state, mapped by a matrix that is learnt from sums.

A number is coded as its value, or zero and a flag where it is missing; a category as one flag for each level. Such
codes can be summed chunk by chunk, and sums with different levels can be added. Everything that is learnt about the
columns, fills, scales, rare levels, is a matrix that is applied to the sums afterwards.
"""
