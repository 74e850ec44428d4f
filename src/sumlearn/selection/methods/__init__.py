"""One file for each family of searches. A method asks the board and leaves the best subset of every size there."""
