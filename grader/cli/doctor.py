"""grader doctor."""

from __future__ import annotations

import json
import platform
import textwrap
from typing import TYPE_CHECKING, Any

import click

from grader.config import read_settings
from grader.errors import JudgeError
from grader.sandbox.doctor import Canary, examine, warm_mib
from grader.sandbox.pool import Pool, SandboxUnavailable
from grader.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

LIST_WIDTH = 90


@click.command("doctor", short_help="Show that the sandbox holds here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor_command(context: click.Context, as_json: bool) -> None:
    """Try what hostile code would try, and say which wall stops it; exit 4 when anything gets through.

    What runs weakened, as GRADER_ALLOW_WEAK_SANDBOX=1 allows, is told first; it holds as long as nothing gets through.
    """
    with Pool(1, read_settings().allow_weak_sandbox) as pool, pool.lane() as lane:
        try:
            facts = lane.facts() | {"warm_mib": warm_mib(lane)}
            canaries = list(examine(lane))
        except SandboxUnavailable as error:
            if as_json:
                nothing = {"ok": False, "layers": [], "canaries": [], "kernel": platform.release(), "error": str(error)}
                click.echo(json.dumps(nothing, indent=2))
            raise JudgeError(str(error)) from None
    held = all(canary.denied for canary in canaries)
    if as_json:
        click.echo(json.dumps(_object(held, facts, canaries), indent=2))
    else:
        _print(held, facts, canaries)
    context.exit(0 if held else 4)


def _object(held: bool, facts: dict[str, Any], canaries: list[Canary]) -> dict[str, object]:
    rows = [{"name": canary.name, "denied": canary.denied, "by": canary.by} for canary in canaries]
    return {"ok": held, "layers": facts["layers"], "canaries": rows, "kernel": platform.release(), **facts}


def _print(held: bool, facts: dict[str, Any], canaries: list[Canary]) -> None:
    from rich.console import Group
    from rich.text import Text

    from grader.report.terminal import print_view
    from grader.report.weakened import weakness

    parts: list[Any] = []
    if facts["weakened"]:
        parts.append(Text(f"! {weakness(facts['missing'])}\n", style="bold red"))
    if not held:
        end = "The sandbox does not hold here: judge nothing on this machine."
    elif facts["weakened"]:
        end = f"The sandbox holds, but only by {' and '.join(facts['layers'])}."
    else:
        end = "The sandbox holds."
    print_view(Group(*parts, *_lines(facts), "", _table(canaries), f"\n{end}"))


def _lines(facts: dict[str, Any]) -> list[str]:
    """Return what the sandbox says of itself, a line for each thing."""
    blas, warm = facts["blas"], facts["warm_mib"]
    lacks = f", lacks {', '.join(facts['landlock_lacks'])}" if facts["landlock_lacks"] else ""
    threads = counted(blas["threads"], "thread")
    modules = textwrap.wrap(", ".join(facts["preloaded"]), LIST_WIDTH, subsequent_indent=" " * 10)
    return [
        f"kernel    {platform.release()} on {facts['machine']}",
        f"python    {facts['python']}, NumPy {facts['numpy']}",
        f"BLAS      {blas['vendor']} {blas['version']}, {threads}",
        f"layers    {', '.join(facts['layers'])}; runs as uid {facts['uid']}",
        f"landlock  ABI {facts['landlock_abi']}{lacks}",
        f"filters   {facts['filters']}",
        f"memory    of each child that waits: {'only root can read it' if warm is None else f'{warm:.1f} MiB'}",
        f"modules   {modules[0]}",
        *modules[1:],
    ]


def _table(canaries: list[Canary]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    for canary in canaries:
        state = Text("✓ denied", style="green") if canary.denied else Text("✗ GOT THROUGH", style="bold red")
        table.add_row(canary.name, state, f"by {canary.by}")
    return table
