"""What `verbose` prints of boosting: after every round, or after the first ten and then every tenth."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from .boost_plan import BoostPlan


class BoostProgress:
    """Losses and the time that is left, as scikit-learn prints them for each kind of boosting; quiet at zero."""

    def __init__(self, plan: BoostPlan, verbose: int, first: int) -> None:
        self.plan, self.verbose, self.first, self.begin = plan, verbose, first, perf_counter()
        self.last = self.begin
        if verbose and plan.watched:
            outside = ["OOB Improve"] if plan.sample < 1.0 else []
            words = ["Train Loss", *outside, "Remaining Time"]
            print(" ".join([f"{'Iter':>10s}", *(f"{word:>16s}" for word in words)]))

    def tell(self, number: int, over: bool, watched: dict[str, list[float]], judge: Any) -> None:
        """Of the round of a number, which may be the last one."""
        if not self.verbose:
            return
        now, done = perf_counter(), number + 1 - self.first
        seconds, self.last = now - self.last, now
        often = self.verbose > 1 or done % 10 == 0 or over or number + 1 == self.plan.rounds
        if self.plan.watched:
            if often or done < 10:
                left = (self.plan.rounds - number - 1) * (now - self.begin) / done
                outside = [f"{watched['improvement'][-1]:16.4f}"] if self.plan.sample < 1.0 else []
                time = f"{left / 60:.2f}m" if left > 60 else f"{left:.2f}s"
                numbers = [f"{number + 1:10d}", f"{watched['train'][-1]:16.4f}", *outside, f"{time:>16s}"]
                print(" ".join(numbers), flush=True)
        elif often:
            text = f"[{number + 1}/{self.plan.rounds}] {seconds:.3f} s a round"
            if judge is not None:
                text += f", train score {judge.train[-1]:.5f}"
                text += f", validation score {judge.validation[-1]:.5f}" if judge.validation else ""
            print(text, flush=True)
