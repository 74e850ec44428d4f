"""What the methods of this family are made of."""
