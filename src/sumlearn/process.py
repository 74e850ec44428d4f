"""What this process is: the command sets it before anything else is imported."""

ALONE = False  # whether nobody but this library uses the libraries in it
