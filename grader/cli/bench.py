"""grader bench."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from grader.batch.bench import Bench, Figures
from grader.cli.judging import require_sandbox, warn
from grader.cli.progress import Progress
from grader.cli.whole_number import WholeNumber
from grader.config import read_settings, shipped
from grader.errors import UserError
from grader.problems.loader import slugs
from grader.wording import counted, nearest

BUSY = 1.0  # load from which on figures say more of the others than of us


@click.command("bench", short_help="Measure how fast judging is here.")
@click.argument("problem", default="heads-never-mix")
@click.option("--rounds", type=WholeNumber(10, 10_000), default=200, show_default=True, help="Turns; about a minute.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench_command(problem: str, rounds: int, as_json: bool) -> None:
    """Judge a right source of PROBLEM again and again, and compare with the same source run in process.

    PROBLEM is one that ships with the grader, no package of your own. The floor calls each case once; judging calls it
    twice, with fresh arguments, and compares. Fresh Python only loads the source. Every figure is taken by turns with
    the others.
    """
    settings = read_settings()
    if problem not in (known := slugs(shipped("problems"))):
        advice = nearest(problem[:80], known, "name one, such as heads-never-mix.")
        raise UserError(
            f"bench measures shipped problems only, as their source also runs outside the sandbox; {problem[:80]!a} is "
            f"none; {advice}"
        )
    require_sandbox(settings)
    bench = Bench(shipped("problems"), problem, settings.cache, settings.allow_weak_sandbox)
    with Progress("bench", "rounds") as progress:
        figures = bench.measure(rounds, progress.update)
    if figures.load > BUSY:
        warn(f"The machine was busy (load {figures.load:.1f}); measure again when nothing else runs.")
    if as_json:
        click.echo(json.dumps({name: _rounded(value) for name, value in asdict(figures).items()}, indent=2))
    else:
        _print(figures)


def _rounded(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value


def _print(figures: Figures) -> None:
    from rich.console import Group
    from rich.table import Table

    from grader.report.terminal import print_view

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "median", "× floor"):
        table.add_column(column, justify="left" if not column else "right")
    for row in rows(figures):
        table.add_row(*row)
    size = f"{counted(figures.cases, 'case')}, {counted(figures.cores, 'core')}"
    print_view(Group(f"{figures.problem}, {size}\n", table))


def rows(figures: Figures) -> list[tuple[str, str, str]]:
    """Return what the table shows: a name, a value with its unit, and how many times the floor it is."""
    floor, full = figures.floor_p50_ms, figures.floor_throughput_per_s
    timed = [
        ("floor: in process, one call each", floor),
        ("fresh Python that loads the source", figures.fresh_p50_ms),
        ("bubblewrap around that", figures.bubblewrap_p50_ms),
        ("judged by a warm lane", figures.warm_p50_ms),
        ("the same, 99th percentile", figures.warm_p99_ms),
        ("grader grade, the whole command", figures.grade_p50_ms),
    ]
    rates = [("floor on every core", full), ("batch on every core", figures.throughput_per_s)]
    memory = "only root can read it" if figures.pss_mib is None else f"{_figure(figures.pss_mib)} MiB"
    return [
        *((name, f"{_figure(value)} ms", _figure(value / floor)) for name, value in timed if value is not None),
        *((name, f"{_figure(value)} /s", _figure(value / full)) for name, value in rates),
        ("memory of a child that waits", memory, ""),
    ]


def _figure(value: float) -> str:
    """Return a number with three digits, or all that stand before its point."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
