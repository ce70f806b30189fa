"""grader doctor."""

from __future__ import annotations

import json
import platform
from typing import Any

import click

from grader.errors import JudgeError
from grader.sandbox.doctor import Canary, examine
from grader.sandbox.pool import Pool, SandboxUnavailable


@click.command("doctor", short_help="Show that the sandbox holds here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor_command(context: click.Context, as_json: bool) -> None:
    """Try what hostile code would try, and say which wall stops it; exit 4 when anything gets through."""
    with Pool(1) as pool, pool.lane() as lane:
        try:
            facts = lane.facts()
            canaries = list(examine(lane))
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
    held = all(canary.denied for canary in canaries)
    if as_json:
        click.echo(json.dumps(_object(held, facts, canaries), indent=2))
    else:
        _print(held, facts, canaries)
    context.exit(0 if held else 4)


def _object(held: bool, facts: dict[str, Any], canaries: list[Canary]) -> dict[str, object]:
    rows = [{"name": canary.name, "denied": canary.denied, "by": canary.by} for canary in canaries]
    return {"ok": held, "kernel": platform.release(), **facts, "canaries": rows}


def _print(held: bool, facts: dict[str, Any], canaries: list[Canary]) -> None:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from grader.report.terminal import print_view

    lacks = f", lacks {', '.join(facts['landlock_lacks'])}" if facts["landlock_lacks"] else ""
    table = Table(box=None, pad_edge=False, show_header=False)
    for canary in canaries:
        state = Text("✓ denied", style="green") if canary.denied else Text("✗ GOT THROUGH", style="bold red")
        table.add_row(canary.name, state, f"by {canary.by}")
    view = Group(
        f"kernel    {platform.release()} on {facts['machine']}",
        f"python    {facts['python']}, NumPy {facts['numpy']}",
        f"layers    {', '.join(facts['layers'])}; runs as uid {facts['uid']}",
        f"landlock  ABI {facts['landlock_abi']}{lacks}",
        f"filters   {facts['filters']}\n",
        table,
        "\nThe sandbox holds." if held else "\nThe sandbox does not hold here: judge nothing on this machine.",
    )
    print_view(view)
