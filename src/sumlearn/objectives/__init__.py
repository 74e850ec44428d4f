"""What is minimised, and links between scores, odds and probabilities."""
