"""Draws model_cube.png: what a lower price sells, over rolling windows of two shops.

python docs/methods/model_cube.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import sumlearn as sl

COLOURS = {"harbour": "#0b62a4", "station": "#d1495b"}


def sales() -> pd.DataFrame:
    """A year of sales: in the harbour prices matter more from June on, at the station less and less."""
    rng = np.random.default_rng(7)
    days = pd.date_range("2026-01-01", "2026-12-31", freq="D")
    parts = []
    for shop in COLOURS:
        day = np.repeat(days, 12)
        price = rng.uniform(2.0, 5.0, len(day))
        warm = rng.uniform(-5.0, 25.0, len(day))
        year = np.repeat(np.linspace(0.0, 1.0, len(days)), 12)
        slope = np.where(day >= pd.Timestamp("2026-06-01"), -4.0, -2.0) if shop == "harbour" else -3.0 + 2.0 * year
        sold = 40.0 + slope * price + 0.3 * warm + 3.0 * rng.standard_normal(len(day))
        parts.append(pd.DataFrame({"day": day, "shop": shop, "price": price, "warm": warm, "sold": sold}))
    return pd.concat(parts, ignore_index=True)


def draw(path: Path) -> None:
    import matplotlib.pyplot as plt

    cube = sl.ModelCube(sl.LinearRegression(), time="day", grain="1d", by="shop").fit(sales(), "sold")
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    for window, width in (("7d", 0.8), ("28d", 2.2)):
        found = cube.roll(window, by="shop")
        for shop, colour in COLOURS.items():
            own = found[found["shop"] == shop]
            label = f"{shop}, {window[:-1]} days"
            axes.plot(
                own["end"], own["price"], color=colour, linewidth=width, alpha=0.45 if width < 1 else 1, label=label
            )
    axes.axvline(pd.Timestamp("2026-06-01"), color="#333333", linewidth=0.8, linestyle=":")
    axes.set(ylabel="sold for each unit of price", xlabel="end of the window")
    axes.legend(ncols=2, frameon=False, loc="lower left", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(Path(__file__).with_name("model_cube.png"))
