"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from ..version import __version__
from .cluster import cluster
from .compare import compare
from .datasets import datasets
from .demo import demo
from .forget import forget
from .info import info
from .merge import merge
from .models import models
from .oneclass import oneclass
from .predict import predict
from .report import report
from .said_once import SaidOnce
from .select import select
from .share import share
from .train import train
from .update import update

app = typer.Typer(
    name="sumlearn",
    help="Machine learning that adds up: train on a table, then update, forget and merge exactly.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    if wanted:
        print(f"sumlearn {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Machine learning that adds up: train on a table, then update, forget and merge exactly."""


for command in (
    train,
    cluster,
    oneclass,
    predict,
    update,
    forget,
    merge,
    share,
    report,
    info,
    compare,
    select,
    models,
    datasets,
    demo,
):
    app.command(cls=SaidOnce)(command)

program = typer.main.get_command(app)  # the options of all commands are read once, not at every call
