"""What models over time share."""
