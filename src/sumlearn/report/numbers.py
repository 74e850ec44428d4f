"""Numbers for people and numbers for scripts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

DIGITS = 5  # of a number in a plot


def shown(value: Any) -> str:
    """A number as a reader wants it; text as it is; a dash for nothing.

    >>> shown(12345), shown(0.83251), shown(1.5e-9), shown(None), shown(2.0), shown("a")
    ('12,345', '0.8325', '1.5e-09', '–', '2', 'a')
    """
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if not isinstance(value, float | np.floating):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return "–" if math.isnan(number) else ("∞" if number > 0 else "−∞")
    if number == 0 or 1e-3 <= abs(number) < 1e4:
        return minus(f"{number:.4g}")
    return minus(f"{number:,.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.3g}")


def minus(text: str) -> str:
    """With a minus sign as long as a digit is wide."""
    return "−" + text[1:] if text.startswith("-") else text


def three(value: float | None) -> str:
    """A score: three decimals up to ten, else four digits.

    >>> three(0.8331), three(-0.0001), three(1234.56), three(None)
    ('0.833', '0.000', '1235', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return minus(f"{round(value, 3) + 0.0:.3f}") if abs(value) < 10 else shown(value)


def quoted(name: Any) -> str:
    """A name within a sentence.

    >>> quoted("pos")
    '“pos”'
    """
    return f"“{name}”"


def json_value(value: Any) -> Any:
    """Arrays and numbers as JSON knows them, of few digits; what is not finite is null.

    >>> json_value({"x": np.array([1 / 3, np.nan, 2.0])})
    {'x': [0.33333, None, 2]}
    """
    if isinstance(value, dict):
        return {str(name): json_value(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return [json_value(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [json_value(part) for part in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    short = float(f"{number:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or begin a comment.

    >>> script_json({"a": "</script><!-- \\u2028"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!-- \\\\u2028"}'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
