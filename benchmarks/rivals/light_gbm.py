"""LightGBM: boosted trees, at its defaults."""

from __future__ import annotations

from benchmarks import ensembles
from benchmarks.candidates import Rival

rival = Rival("LightGBM", __name__, ensembles.lightgbm())
