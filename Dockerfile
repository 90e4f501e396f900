# One image for everything: each service of docker-compose.yml runs another `arena` command in it.
#
# The base needs Python 3.11 or newer as `python3`, with venv, and glibc; Alpine does not work.
# The worker's sandbox needs libseccomp2 and util-linux as well, which every image of Debian with apt
# holds; bubblewrap comes with the extras. Where something is missing, `arena work` says so and ends.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# The same as in the Makefile; a test compares them.
ARG UV_VERSION=0.13.8
RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --no-cache-dir uv==${UV_VERSION}
ENV UV_PROJECT_ENVIRONMENT=/opt/arena \
    UV_PYTHON=python3 \
    UV_PYTHON_DOWNLOADS=never \
    UV_LINK_MODE=copy \
    UV_COMPILE_BYTECODE=1 \
    UV_NO_CACHE=1
WORKDIR /app
# Dependencies first: they rarely change, so this layer is rarely rebuilt.
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN /opt/uv/bin/uv sync --frozen --no-default-groups --all-extras --no-extra fast --no-install-project
COPY arena arena
COPY dashboard dashboard
COPY proto proto
COPY sample_bots sample_bots
RUN /opt/uv/bin/uv sync --frozen --no-default-groups --all-extras --no-extra fast --no-editable

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/arena arena \
    && install --directory --owner=arena --group=arena --mode=0700 /var/lib/arena
COPY --from=build /opt/arena /opt/arena
ENV PATH=/opt/arena/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ARENA_HOME=/var/lib/arena \
    ARENA_HOST=0.0.0.0
WORKDIR /var/lib/arena
USER arena
VOLUME /var/lib/arena
EXPOSE 50051 8501
ENTRYPOINT ["arena"]
CMD ["--help"]
