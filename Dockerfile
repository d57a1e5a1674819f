# The image holds two static binaries (the second asks stores, and is started for that alone), the certificates of authorities, and two
# empty folders that it may write to. There is no shell.
#
# The base image is named by tag. Pin it by digest where builds have to be repeatable:
# docker buildx imagetools inspect golang:1.26-bookworm
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.release=$VERSION" -o /out/usr/local/bin/ ./cmd/rollstamp ./cmd/rollstamp-stores
RUN mkdir -p /out/etc/ssl/certs /home/rollstamp /writable \
    && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/

FROM scratch
COPY --from=build /out/ /
# Charts that are fetched are cached below HOME; charts inside kustomizations may need temporary files.
COPY --from=build --chown=999:999 /home/rollstamp/ /home/rollstamp/
COPY --from=build --chown=999:999 /writable/ /tmp/
# The user that Argo CD's repo server and its plugins run as.
USER 999:999
ENV HOME=/home/rollstamp
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/rollstamp"]
CMD ["--help"]
