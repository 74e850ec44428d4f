"""Print constraints for pip that hold what pyproject.toml names at its lowest version.

    python .github/lowest_bounds.py test > lowest.txt
    PIP_CONSTRAINT=lowest.txt make test
"""

import re
import sys
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str | None:
    """``numpy>=2.0`` as ``numpy==2.0.*``; None for what has no bound, such as the package itself."""
    found = re.match(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
    return f"{found[1]}=={found[2]}.*" if found else None


def main(extras: list[str]) -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    print("\n".join(sorted({line for requirement in wanted if (line := lowest(requirement))})))


if __name__ == "__main__":
    main(sys.argv[1:])
