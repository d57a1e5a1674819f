// What a release says to those who install it, tried with the real ones: krew, Helm 3 and 4, Ruby, the go tool.
module github.com/rollstamp/rollstamp/e2e/install

go 1.26.0

replace github.com/rollstamp/rollstamp/release => ../../release

require (
	github.com/rollstamp/rollstamp/release v0.0.0
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/mod v0.42.0
)
