#!/bin/sh
# Renders clusters/production onto the branch "rendered" of the same remote: for CI, after each change of main. Its job needs
# a user of Git (git config user.name, user.email) that may push to the branch.
set -eu
remote=$(git remote get-url origin)
revision=$(git rev-parse --short HEAD)
rendered=$(mktemp -d) # not in this checkout, where git add would find it
trap 'rm -rf "$rendered"' EXIT
if git ls-remote --exit-code --heads "$remote" rendered >/dev/null; then
  git clone -q --depth 1 --branch rendered "$remote" "$rendered"
else
  git init -q -b rendered "$rendered"
fi
rollstamp render --as flux clusters/production --output-dir "$rendered" --prune
cd "$rendered"
git add --all
if git diff --cached --quiet; then
  echo "the branch has this already"
  exit
fi
git commit -q -m "Render $revision"
git push -q "$remote" rendered
