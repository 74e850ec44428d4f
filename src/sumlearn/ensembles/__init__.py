"""Many models as one: boosting."""
