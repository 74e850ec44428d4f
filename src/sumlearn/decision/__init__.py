"""What stands above all classifiers: many classes from questions with two answers."""
