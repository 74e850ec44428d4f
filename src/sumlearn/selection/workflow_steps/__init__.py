"""The steps of `sumlearn.selection.Workflow`, each a function or a small object of its own."""
