#!/bin/sh
# Publishes what clusters/production applies to $REPOSITORY, such as oci://ghcr.io/example/shop: for CI, after each change of
# main. docker login comes before it.
set -eu
rollstamp flux push "$REPOSITORY" --as flux clusters/production \
  --source "$(git remote get-url origin)" --revision "main@sha1:$(git rev-parse HEAD)"
