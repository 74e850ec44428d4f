"""Models over time: recent rows, any window and any group, exactly."""
