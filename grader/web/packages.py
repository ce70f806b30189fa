"""Private packages of interviewers: the list, uploading, what the check found, where they are used."""

from __future__ import annotations

import io

from flask import Blueprint, Response, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue

from grader.errors import UserError
from grader.report.kill_matrix import matrix_part
from grader.services import uploads
from grader.services.uploads import UnusablePackage
from grader.store.session import read_session, write_session
from grader.web.kept_text import told_on
from grader.web.pages import asked_page
from grader.web.service import current_user, now, service

bp = Blueprint("packages", __name__, url_prefix="/packages")


@bp.get("")
def index() -> ResponseReturnValue:
    """List the packages that the reader may see, with the form that uploads one."""
    return _page()


def _page(refused: UserError | None = None) -> str:
    page = asked_page()
    with read_session(service().engine) as session:
        listed, number = uploads.listed(session, current_user(), page)
    return render_template(
        "packages.html",
        listed=listed,
        number=number,
        page=page,
        pages=max(1, -(-number // uploads.PAGE)),
        refused=refused,
        findings=refused.findings if isinstance(refused, UnusablePackage) else (),
        typed=request.form.get("name", ""),
        max_mib=uploads.ARCHIVE_BYTES_MAX >> 20,
    )


@bp.post("")
@told_on(lambda error: (_page(error), error.status), "name")
def upload() -> ResponseReturnValue:
    """Take an archive; its page tells how the check goes."""
    file = request.files.get("archive")
    data, file_name = (bytes(file.read()), file.filename or "") if file else (b"", "")
    try:
        sent = uploads.read(current_user(), data, request.form.get("name", ""), file_name)
        with write_session(service().engine) as session:
            check = uploads.upload(session, current_user(), sent, service().packages, now())
            sha256 = check.package.sha256
    except (UnusablePackage, uploads.NameTaken) as error:
        return _page(error), error.status
    return redirect(url_for("packages.show", sha256=sha256), 303)


@bp.get("/<sha256>")
def show(sha256: str) -> ResponseReturnValue:
    """Show a package: how it stands, what the check found, where it is used."""
    with read_session(service().engine) as session:
        shown = uploads.shown(session, current_user(), sha256)
    return render_template("package.html", shown=shown, matrix=matrix_part(shown.report) if shown.report else "")


@bp.post("/<sha256>/retire")
def retire(sha256: str) -> ResponseReturnValue:
    """Retire a package."""
    return _set_retired(sha256, is_retired=True)


@bp.post("/<sha256>/restore")
def restore(sha256: str) -> ResponseReturnValue:
    """Take a retired package back."""
    return _set_retired(sha256, is_retired=False)


def _set_retired(sha256: str, *, is_retired: bool) -> ResponseReturnValue:
    with write_session(service().engine) as session:
        uploads.set_retired(session, current_user(), sha256, now(), is_retired=is_retired)
    return redirect(url_for("packages.show", sha256=sha256), 303)


@bp.post("/<sha256>/check")
def check_again(sha256: str) -> ResponseReturnValue:
    """Have a package that was not accepted checked once more."""
    with write_session(service().engine) as session:
        uploads.check_again(session, current_user(), sha256, now())
    return redirect(url_for("packages.show", sha256=sha256), 303)


@bp.post("/<sha256>/archive")
def download(sha256: str) -> Response:
    """Hand the archive out."""
    with write_session(service().engine) as session:
        package, archive = uploads.download(session, current_user(), sha256, now())
        name = f"{package.slug}.zip"
    return send_file(io.BytesIO(archive), "application/zip", as_attachment=True, download_name=name)
