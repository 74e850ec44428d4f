"""How an objective is minimised: one file per algorithm."""
