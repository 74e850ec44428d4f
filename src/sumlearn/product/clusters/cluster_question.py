"""What a clustering is asked for: of which columns, into how many clusters, by which method."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ..problems import UsageProblem
from ..table_question import TableQuestion

METHODS = {"kmeans": "k-means", "lbg": "LBG, a codebook that grows", "gmm": "Gaussian mixture"}
MOST = 100  # clusters that a reader can make anything of


@dataclass(frozen=True)
class ClusterQuestion(TableQuestion):
    """The options of `cluster` and of ``sumlearn cluster``.

    >>> ClusterQuestion("2..5").sizes, ClusterQuestion("3").sizes, ClusterQuestion("2,4,8").sizes
    ([2, 3, 4, 5], [3], [2, 4, 8])
    """

    k: str = "2..10"
    method: str = "kmeans"

    purpose: ClassVar[str] = "cluster by"

    def check(self) -> None:
        if self.method not in METHODS:
            raise UsageProblem(f"--method {self.method!r} is none of {', '.join(METHODS)}")
        self.check_seed()
        self.sizes  # noqa: B018  refused here

    @property
    def sizes(self) -> list[int]:
        """Numbers of clusters, ascending."""
        text = str(self.k).replace(" ", "")
        span = re.fullmatch(r"(\d+)\.\.(\d+)", text)
        if span is not None:
            found = list(range(int(span[1]), min(int(span[2]), MOST + 1) + 1))
        elif re.fullmatch(r"\d+(,\d+)*", text):
            found = sorted({int(size) for size in text.split(",")})
        else:
            found = []
        if not found or found[0] < 1 or found[-1] > MOST:
            raise UsageProblem(f"-k {self.k!r} is no number of clusters from 1 to {MOST}, such as 3, 2..10 or 2,4,8")
        return found
