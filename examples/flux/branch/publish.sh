#!/bin/sh
# Renders clusters/production onto the branch "rendered" of the same remote: for CI, after each change of main. Its job needs
# a user of Git (git config user.name, user.email) that may push to the branch.
set -eu
revision=$(git rev-parse --short HEAD)
folder=$(mktemp -d) # not in this checkout, where git add would find it
rendered=$folder/rendered
trap 'git worktree remove --force "$rendered"; rm -rf "$folder"' EXIT
if git ls-remote --exit-code --heads origin rendered >/dev/null; then
  git fetch -q origin rendered
  before=FETCH_HEAD
else
  before=$(git commit-tree "$(git mktree </dev/null)" -m "Begin with nothing")
fi
git worktree add -q --detach "$rendered" "$before" # has the user and the credentials of this checkout, as a clone has not
rollstamp render --as flux clusters/production --output-dir "$rendered" --prune
git -C "$rendered" add --all
if git -C "$rendered" diff --cached --quiet; then
  echo "the branch has this already"
  exit
fi
git -C "$rendered" commit -q --no-verify -m "Render $revision" # hooks are for the sources
git -C "$rendered" push -q --no-verify origin HEAD:refs/heads/rendered
