"""What the models over time are made of."""
