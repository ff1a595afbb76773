# w3host in an image of its own: the static program, the roots for TLS to a
# database, and three folders. No shell, no libraries. See docs/deployment.md.

ARG GO_VERSION=1.26
FROM golang:${GO_VERSION}-alpine AS build
WORKDIR /src
COPY . .
ARG VERSION=
# timetzdata: the time zones are in the program, so that TZ works without files.
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -tags timetzdata \
        -ldflags "-s -w -X main.version=${VERSION}" -o image/w3host ./cmd/w3host
RUN deploy/image.sh

FROM scratch
LABEL org.opencontainers.image.title="w3host" \
      org.opencontainers.image.description="A headless host for Warcraft III games" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /src/image/ /
COPY --from=build --chown=65532:65532 /src/owned/ /
# The defaults are relative to here: /maps, /scripts, /data/w3host.db, /data/spool.
WORKDIR /
ENV W3HOST_REPLAYS_DIR=/data/replays
USER 65532:65532
VOLUME ["/data", "/maps", "/scripts"]
EXPOSE 6112/tcp 6112/udp
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/w3host", "health"]
ENTRYPOINT ["/w3host"]
CMD ["serve", "--supervise"]
