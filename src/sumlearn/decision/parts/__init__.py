"""What the methods of this folder share."""
