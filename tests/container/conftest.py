"""One engine, one image and one running service for all tests of the container."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.container.engine import Engine, build_image, make_base_image, missing, running_engine
from tests.container.service import Service


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that has the image of this checkout."""
    if reason := missing():
        pytest.skip(reason)
    with running_engine(tmp_path_factory.mktemp("engine")) as engine:
        make_base_image(engine)
        build_image(engine)
        yield engine


@pytest.fixture(scope="session")
def service(engine: Engine) -> Iterator[Service]:
    """The service as `docker compose up` starts it, healthy."""
    service = Service(engine)
    service.start()
    yield service
    engine.compose("down", "--volumes")
