"""Methods that keep their rows and work when they are asked."""
