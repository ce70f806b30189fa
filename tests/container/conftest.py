"""One engine, and one running service of each form, for all tests of the containers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.container.engine import Engine, build_image, make_base_image, missing, running_engine
from tests.container.scaled import Scaled
from tests.container.service import Service


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that has the image which the Dockerfile starts from."""
    if reason := missing():
        pytest.skip(reason)
    with running_engine(tmp_path_factory.mktemp("engine")) as engine:
        make_base_image(engine)
        yield engine


@pytest.fixture(scope="session")
def engine(base: Engine) -> Engine:
    """The engine, with the image of this checkout."""
    build_image(base)
    return base


@pytest.fixture(scope="session")
def service(engine: Engine) -> Iterator[Service]:
    """The service as `docker compose up` starts it, healthy."""
    service = Service(engine)
    service.start()
    yield service
    engine.compose("down", "--volumes")


@pytest.fixture(scope="session")
def scaled(base: Engine) -> Iterator[Scaled]:
    """The scaled form as the document of operations starts it, well."""
    scaled = Scaled(base)
    scaled.build()
    scaled.start_as_documented()
    yield scaled
    scaled.compose("down", "--volumes", seconds=120)
