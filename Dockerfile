# An image with the library, its workflow and a compiler: `docker build --tag crowdgold .` in a clone.
# Untried where no registry of images can be reached (docs/module.md).
FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/crowdgold
COPY uv.lock requirements-uv.lock pyproject.toml ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements-uv.lock \
    && uv export --frozen --no-emit-project --extra dev --output-file /tmp/locked.txt \
    && pip install --no-cache-dir --require-hashes --requirement /tmp/locked.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .
WORKDIR /work
CMD ["crowdgold", "--help"]
