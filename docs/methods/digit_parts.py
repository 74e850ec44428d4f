"""Draws digit_parts.png: sixteen non-negative parts of handwritten digits, and sixteen principal components.

    python docs/methods/digit_parts.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sumlearn import NMF, PCA


def main() -> None:
    digits = load_digits().data
    parts = NMF(16, max_iter=1000).fit(digits).components_
    axes = PCA(16).fit(digits).components_
    figure, places = plt.subplots(4, 8, figsize=(8.0, 4.4), layout="constrained")
    for images, rows, colours, signed in ((parts, places[:2], "Greys", False), (axes, places[2:], "RdBu_r", True)):
        for place, image in zip(rows.ravel(), images, strict=True):
            largest = np.abs(image).max()
            place.imshow(image.reshape(8, 8), cmap=colours, vmin=-largest if signed else 0.0, vmax=largest)
            place.set(xticks=[], yticks=[])
            place.spines[:].set_color("0.8")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
