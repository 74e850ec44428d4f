"""Where two rates are equal: at a threshold, or among the rows of one score."""

from __future__ import annotations

import numpy as np

ROUNDING = 1e-12  # of sums of weights


def equal_error(tp: np.ndarray, fp: np.ndarray, between: bool = False) -> tuple[int, float]:
    """Where FNR = FPR: the number of a threshold, and the share of the rows with that score that are accepted.

    The share is 1, and |FNR - FPR| is least at that threshold, unless rows of equal score lie over the crossing (of
    both classes, or of a weight above one): accepted in any order, they would pass it on the line between their ends.
    `tp` and `fp` are the weights accepted from each threshold on, after zero. With `between` any row is a share.

    >>> equal_error(np.array([0.0, 4.0]), np.array([0.0, 6.0]))        # a constant score
    (1, 0.5)
    >>> equal_error(np.array([0.0, 1.0, 2.0, 2.0]), np.array([0.0, 0.0, 0.0, 1.0]), between=True)
    (2, 1.0)
    """
    # times N_t. N_f., which keeps whole numbers whole and equal distances equal
    gap = (tp[-1] - tp) * fp[-1] - fp * tp[-1]
    return crossing(gap, np.abs(gap), tp, fp, between)


def break_even(tp: np.ndarray, fp: np.ndarray) -> tuple[int, float]:
    """Where recall = precision: as many rows are accepted as there are positive ones.

    Else |recall - precision| is least, where a positive row is accepted; see `equal_error`.

    >>> break_even(np.array([0.0, 4.0]), np.array([0.0, 6.0]))
    (1, 0.4)
    """
    accepted, positives = tp + fp, tp[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(tp > 0, np.abs(tp / positives - tp / accepted), np.inf)
    index, share = crossing(positives - accepted, apart, tp, fp)
    passed = int(np.argmax(accepted >= positives))
    return (passed, 1.0) if tp[passed] == 0 else (index, share)  # both rates are zero


def crossing(
    gap: np.ndarray, apart: np.ndarray, tp: np.ndarray, fp: np.ndarray, between: bool = False
) -> tuple[int, float]:
    """Where a gap that falls from threshold to threshold is zero, or `apart` least; of several the first."""
    index = int(np.argmax(gap <= ROUNDING * gap[0]))
    hits, alarms = tp[index] - tp[index - 1], fp[index] - fp[index - 1]
    tied = between or (hits > 0 and alarms > 0) or hits + alarms > 1.0 + ROUNDING
    if gap[index] < -ROUNDING * gap[0] and tied:
        return index, float(gap[index - 1] / (gap[index - 1] - gap[index]))
    return 1 + int(np.argmin(apart[1:])), 1.0
