// The ways in which CI systems call rollstamp, tried as they are: pre-commit, the GitHub action's steps, the GitLab job's script.
module github.com/rollstamp/rollstamp/e2e/ci

go 1.26.0

require go.yaml.in/yaml/v3 v3.0.4
