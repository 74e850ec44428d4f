"""Groups of rows that are near each other, and what stands for each group."""
