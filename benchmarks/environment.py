"""The machine and the versions behind a table, and how busy the machine was."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

BUSY = 0.5  # load average above which times are not to be trusted
PACKAGES = ("sumlearn", "scikit-learn", "scikit-learn-intelex", "numpy", "scipy", "numba")


def cpu() -> str:
    """The processor's name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load() -> float:
    """Load average of the last minute; zero where the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def versions() -> dict[str, str]:
    """Versions of the packages that matter, as installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def describe() -> dict[str, Any]:
    """All of it, for the head of the table and for JSON."""
    return {"cpu": cpu(), "cores": os.cpu_count(), "load": load(), "versions": versions()}
