"""Projections to fewer dimensions."""
