"""Options that are said twice."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class SaidOnce(TyperCommand):
    """A command that refuses a second value of an option: the parser would take the last one without a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from ..product.problems import UsageProblem

        parser: Any = self.make_parser(ctx)  # what it tells of options depends on the versions installed
        *_, said = parser.parse_args(args=list(args))
        for option in said:
            if option.param_type_name == "option" and not option.is_flag and said.count(option) > 1:
                raise UsageProblem(f"{option.opts[-1]} is said twice: several names go into one, as in a,b")
        return super().parse_args(ctx, args)
