"""Trees that ask one question after the other, and rules."""
