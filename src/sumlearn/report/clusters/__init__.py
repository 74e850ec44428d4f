"""The account of a clustering: its card, its sections, and the page."""
