"""grader problems, grader show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from grader.cli.completion import complete_problem, complete_set
from grader.cli.judging import cache_for, warn
from grader.cli.outputs import write_new
from grader.config import Settings, read_settings
from grader.errors import InvalidPackage, JudgeError, UserError
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load, load_named, slugs
from grader.problems.sets import InvalidSets, SetSpec, load_sets, named_set, names_of_sets_with
from grader.report.visible import visible
from grader.sandbox.pool import Pool
from grader.services.samples import Samples, SampleView
from grader.wording import counted


@click.command("problems")
@click.option("--set", "set_name", metavar="NAME", shell_complete=complete_set, help="Only this set's, in its order.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def problems_command(set_name: str | None, as_json: bool) -> None:
    """List the problems, and the sets that some of them make up."""
    root = read_settings().problems
    chosen = named_set(set_name, root) if set_name is not None else None
    sets = _sets(root)
    loaded = [_load(root / slug) for slug in (chosen.problems if chosen else slugs(root))]
    if not loaded:
        _warn(f"{root} holds no problem package; set GRADER_PROBLEMS to a folder of them.")
    problems = [problem for problem in loaded if problem]
    if as_json:
        click.echo(json.dumps([_facts(problem, sets) for problem in problems], indent=2))
        return
    _print(problems, chosen, sets)
    from grader.report.terminal import make_console

    if loaded and make_console().is_terminal:
        hint = "\ngrader show PROBLEM prints the statement and the buggy starter."
        make_console(stderr=True).print(hint, style="dim")


def _print(problems: list[Problem], chosen: SetSpec | None, sets: Mapping[str, SetSpec]) -> None:
    """Print a set under its title, or all problems and then what sets there are."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from grader.report.terminal import print_view

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("problem", "level", "min", "variants", "title"):
        table.add_column(column, justify="right" if column == "min" else "left", no_wrap=column in ("problem", "level"))
    for problem in problems:
        spec = problem.spec
        table.add_row(problem.slug, spec.level, str(spec.minutes), " ".join(spec.variants), visible(spec.title))
    if chosen:
        count = len(chosen.problems)
        facts = f" · {counted(count, 'problem')} · {chosen.minutes} min in all"
        print_view(Group(Text.assemble((visible(chosen.title), "bold"), facts), "", table))
    elif sets:
        print_view(Group(table, "", Text(f"Sets (--set NAME): {', '.join(sets)}")))
    else:
        print_view(table)


def _sets(root: Path) -> Mapping[str, SetSpec]:
    """Return the sets, or say on stderr all that breaks them: the problems are listed all the same."""
    try:
        return load_sets(root)
    except InvalidSets as error:
        for finding in error.findings:
            _warn(finding)
        return {}


def _load(folder: Path) -> Problem | None:
    """Return a package, or say on stderr what breaks it: one broken package hides no other."""
    try:
        return load(read_folder(folder))
    except InvalidPackage as error:
        _warn(error.message)
        return None


def _warn(text: str) -> None:
    click.echo(f"grader: {visible(text, keep='')}", err=True)


def _facts(problem: Problem, sets: Mapping[str, SetSpec]) -> dict[str, Any]:
    spec = problem.spec
    return {
        "slug": problem.slug,
        "title": spec.title,
        "level": spec.level,
        "minutes": spec.minutes,
        "tags": spec.tags,
        "roles": spec.roles,
        "entries": list(spec.entries),
        "variants": list(spec.variants),
        "max_score": problem.max_score,
        "package_sha256": problem.sha256,
        "sets": names_of_sets_with(problem.slug, sets),
    }


@click.command("show", short_help="Print a statement and its buggy starter.")
@click.argument("problem", shell_complete=complete_problem)
@click.option("--variant", metavar="NAME", help="One of the problem's variants; the first without it.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the starter to a file, never over one; '-' prints it alone.",
)
def show_command(problem: str, variant: str | None, output: Path | None) -> None:
    """Print a problem's statement, its buggy starter and its samples, or write the starter to a file."""
    settings = read_settings()
    loaded = load_named(problem, settings.problems)
    variants = loaded.spec.variants
    if variant is not None and variant not in variants:
        raise UserError(f"{loaded.slug} has no variant {variant!a}; it has {', '.join(variants)}.")
    name = variant or loaded.first_variant
    starter = loaded.starter(name)
    if output == Path("-"):
        click.echo(visible(starter), nl=False)
        return
    if output is not None:
        write_new(output, starter)
        click.echo(f"Wrote {output}; repair it, then: grader grade {problem} {output}", err=True)
        return
    click.echo(f"{visible(loaded.statement).rstrip()}{_rule(f'starter, variant {name}')}{visible(starter).rstrip()}")
    for sample in _samples(loaded, settings):
        text = f"{sample.arguments}\n\n{sample.call}\n\n# expected:\n{sample.expected}"
        click.echo(f"{_rule(f'sample {sample.name}')}{visible(text)}")


def _rule(title: str) -> str:
    return f"\n\n# {'-' * 68}\n# {title}\n# {'-' * 68}\n"


def _samples(problem: Problem, settings: Settings) -> tuple[SampleView, ...]:
    """Return the samples' numbers; where there is no sandbox to make them in, say so and go on without."""
    with Pool(1, settings.allow_weak_sandbox) as pool:
        try:
            return Samples(pool, cache_for(settings)).of(problem)
        except JudgeError as error:
            warn(error.message)
            return ()
