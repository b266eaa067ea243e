# The service as an image: docker build -t laizi . && docker run -p 50051:50051 laizi
ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# A virtual environment can move between images of one Python: the second stage needs neither pip nor a compiler.
# A private package index, where there is one, comes in as secrets of the build, of which no layer keeps anything:
# docker build --secret id=pip.conf,src=pip.conf --secret id=certificates,src=ca.pem .
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=certificates \
    python -m venv --without-pip /opt/laizi \
    && pip wheel --no-cache-dir --wheel-dir /wheels '.[service]' \
    && pip --python /opt/laizi/bin/python install --no-cache-dir --no-index --find-links /wheels 'laizi[service]' \
    && /opt/laizi/bin/python -m compileall -q /opt/laizi

FROM ${PYTHON_IMAGE}
RUN groupadd --gid 10001 laizi \
    && useradd --uid 10001 --gid laizi --no-create-home --home-dir / --shell /usr/sbin/nologin laizi
COPY --from=build /opt/laizi /opt/laizi
# A container's network is its own: there the service listens on every address, in the clear until it is given a
# certificate (LAIZI_TLS_CERTIFICATE, LAIZI_TLS_KEY).
ENV PATH=/opt/laizi/bin:$PATH LAIZI_HOST=0.0.0.0 LAIZI_METRICS_HOST=0.0.0.0 LAIZI_ALLOW_PLAINTEXT=on
USER 10001:10001
# gRPC, and HTTP for metrics and readiness.
EXPOSE 50051 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["laizi", "probe"]
# Exec form: the service is process 1 and receives SIGTERM, at which it drains.
ENTRYPOINT ["laizi"]
CMD ["serve"]
