"""Makes the web application from its parts; it reads no settings and starts nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from flask import Flask
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from grader import __version__
from grader.report.numbers import measured, told_apart
from grader.report.observed import observed_in
from grader.report.page import STATIC, goes_on
from grader.report.report_weights import sample_weights
from grader.report.stage_rows import stage_facts, stage_row
from grader.report.stage_strip import fault_words, said_in_words, stage_strip, stage_words
from grader.report.visible import visible
from grader.services.names import READERS
from grader.web import (
    account_page,
    accounts,
    admin,
    api,
    attempts,
    cohort,
    cookies,
    diagnoses,
    errors,
    exports,
    followups,
    health,
    interview_audit,
    interview_candidates,
    interview_setup,
    interviews,
    invitations,
    lesson,
    once,
    packages,
    pages,
    problems,
    progress,
    rejudge,
    request_log,
    review_changes,
    reviews,
    sample_runs,
    security,
    texts,
    tokens,
    verdicts,
)
from grader.web.gathering import BODY_BYTES_MAX
from grader.web.service import Service, user
from grader.wording import all_of, counted, part_of

FORM_PARTS_MAX: Final = 20
_BLUEPRINTS: Final = (
    health.bp,
    pages.bp,
    accounts.bp,
    account_page.bp,
    tokens.bp,
    problems.bp,
    attempts.bp,
    sample_runs.bp,
    verdicts.bp,
    diagnoses.bp,
    followups.bp,
    invitations.bp,
    progress.bp,
    lesson.bp,
    packages.bp,
    rejudge.bp,
    exports.bp,
    interviews.bp,
    interview_setup.bp,
    interview_candidates.bp,
    interview_audit.bp,
    admin.bp,
    reviews.bp,
    review_changes.bp,
    cohort.bp,
    api.bp,
)


@dataclass(frozen=True)
class WebSettings:
    """What the application needs to know of its place."""

    secret_key: bytes  # signs forms
    public_url: str | None = None  # the address that people use; None: this machine only
    is_sandbox_weakened: bool = False  # then every page says so
    is_signup_open: bool = True  # whether anybody may make an account
    proxies: int = 0  # how many in front add the address that they were called from
    metrics_token: str | None = None  # opens the figures; None: there is no page of figures
    variables: Mapping[str, bool] = field(default_factory=dict)  # settings by name: whether the environment has each


def create_app(settings: WebSettings, service: Service) -> Flask:
    """Return the application that works with a service's parts."""
    app = Flask(__name__, static_folder=str(STATIC))
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=BODY_BYTES_MAX,
        MAX_FORM_MEMORY_SIZE=BODY_BYTES_MAX,
        MAX_FORM_PARTS=FORM_PARTS_MAX,
        METRICS_TOKEN=settings.metrics_token,
        VARIABLES=settings.variables,
        PUBLIC_URL=settings.public_url,
        IS_SIGNUP_OPEN=settings.is_signup_open,
        SESSION_COOKIE_SECURE=bool(settings.public_url and settings.public_url.startswith("https://")),
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(days=365),  # their addresses change with their content
    )
    if settings.proxies:  # none: whoever calls could name any address
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=0)  # type: ignore[method-assign]
    with app.app_context():
        service.keep()
    request_log.register(app, service.metrics)  # first, so that nothing goes unseen
    cookies.register(app)
    security.register(app, settings.public_url)
    errors.register(app)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)
    _set_up_templates(app)
    app.jinja_env.globals.update(is_sandbox_weakened=settings.is_sandbox_weakened)
    return app


def _set_up_templates(app: Flask) -> None:
    environment = app.jinja_env
    environment.undefined = StrictUndefined
    environment.finalize = texts.shown  # before it is escaped: no template can forget it
    environment.trim_blocks = environment.lstrip_blocks = True
    written = (texts.code, texts.numbered, texts.markdown, texts.plain, texts.inline, texts.number, texts.moment)
    for text in (*written, texts.agreeing, texts.editable, counted, part_of, all_of):
        environment.filters[text.__name__] = text
    for drawn in (
        visible,
        fault_words,
        said_in_words,
        stage_words,
        stage_strip,
        sample_weights,
        observed_in,
        stage_facts,
        stage_row,
        goes_on,
        measured,
        told_apart,
    ):
        environment.filters[drawn.__name__] = drawn
    environment.globals.update(version=__version__, user=user, theme=pages.theme, themes=pages.THEMES)
    environment.globals["this_page"] = pages.this_page
    environment.globals["form_key"] = once.form_key
    environment.globals["name_readers"] = READERS
    versions = _static_versions(app)

    @app.url_defaults
    def add_version(endpoint: str, values: dict[str, object]) -> None:
        if endpoint == "static" and values.get("filename") in versions:
            values["v"] = versions[str(values["filename"])]


def _static_versions(app: Flask) -> dict[str, str]:
    """Return a word for each static file that changes with its content, so that browsers may keep the file."""
    assert app.static_folder is not None
    files = Path(app.static_folder).iterdir()
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:12] for file in files if file.is_file()}
