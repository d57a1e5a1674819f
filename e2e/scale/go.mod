// The examples that divide a run over runners of CI and pods of Argo Workflows, run by act and gitlab-ci-local, and held to
// Argo's own code.
module github.com/rollstamp/rollstamp/e2e/scale

go 1.26.0

// What starts processes.
replace github.com/rollstamp/rollstamp/e2e/cluster => ../cluster

require github.com/rollstamp/rollstamp/e2e/cluster v0.0.0

require golang.org/x/tools v0.39.0 // indirect
