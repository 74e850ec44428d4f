"""One file for each family of searches. A method asks `Evaluations`, which keep the best subset of every size."""
