# The web service, and with REQUIREMENTS=requirements-postgres.txt the workers as well. The sandbox needs no privilege:
# seccomp, Landlock and rlimits work for the ordinary user below under the engine's default profile (kernel 5.13 or newer).
FROM python:3.13-slim AS build
WORKDIR /src
ARG REQUIREMENTS=requirements.txt
COPY ${REQUIREMENTS} pyproject.toml README.md LICENSE ./
RUN python -m venv /opt/grader && /opt/grader/bin/pip install --no-cache-dir --no-deps --require-hashes -r ${REQUIREMENTS}
COPY grader grader
COPY problems problems
COPY migrations migrations
RUN /opt/grader/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home --home-dir /var/lib/grader --shell /usr/sbin/nologin grader \
    && install -d -o grader -g grader -m 0700 /var/lib/grader/data /var/lib/grader/cache
COPY --from=build /opt/grader /opt/grader
ENV PATH=/opt/grader/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    GRADER_DATA=/var/lib/grader/data \
    GRADER_CACHE=/var/lib/grader/cache
USER 10001
WORKDIR /var/lib/grader
VOLUME ["/var/lib/grader/data"]
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["grader", "serve", "--host", "0.0.0.0"]
