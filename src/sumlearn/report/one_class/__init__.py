"""The account of one class: its card, its sections, and the page."""
