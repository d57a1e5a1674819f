# make help says what there is.

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The version as releases have it: v0.1.0. The name of a commit stays.
TAG = $(shell echo '$(VERSION)' | sed -E 's/^[0-9]+[.][0-9]+[.][0-9]+/v&/')
# Where to: for image-push REGISTRY/NAME, for image-load NAME:TAG.
IMAGE    ?=
# Flags: REPRODUCE=-warm builds the second time with the first one's cache; VULN=-allow-unchecked ends well without the database.
REPRODUCE ?=
VULN      ?=
# Who builds, as a URI, for the provenance; empty: somebody by hand.
BUILDER  ?=
FUZZTIME ?= 30s
# More flags for make image, such as -platforms linux/amd64.
IMAGEFLAGS ?=
# More flags for make image-push, such as -force.
PUSHFLAGS ?=
# What else the benchmark is to measure: globs of real charts, kustomizations and rendered streams.
CHARTS ?=
KUSTOMIZATIONS ?=
STREAMS ?=
# For make unchanged and make bench: the binary from before a change; and, for make unchanged and make suffixes, folders
# with inputs.
BEFORE ?=
TREES  ?= testdata,examples

.PHONY: help build test docs site e2e e2e-install e2e-vault lint fuzz bench bench-growth unchanged suffixes kustomizations extend golden e2e-argocd e2e-argocd33 e2e-flux e2e-policies soak bench-argocd release release-ready vuln image image-load image-push clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  VERSION=$(VERSION)  IMAGE=$(IMAGE)  FUZZTIME=$(FUZZTIME)"
	@echo "  make image-push IMAGE=registry.example/rollstamp; make image-load IMAGE=rollstamp:test"
	@echo "  make bench also takes CHARTS=, KUSTOMIZATIONS= and STREAMS=: globs of what else to measure"

build: ## the static binaries: bin/rollstamp, bin/rollstamp-stores and bin/rollstamp-helm4
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=$(TAG)" -o bin/ ./cmd/rollstamp ./cmd/rollstamp-stores
	CGO_ENABLED=0 go build -C cmd/rollstamp-helm4 -trimpath -ldflags "-s -w -X main.release=$(TAG)" -o $(CURDIR)/bin/ .

test: ## all tests; the first run builds the real helm and kustomize
	go run ./internal/stock/build >/dev/null
	go test ./...

docs: ## the pages of commands, findings and settings, and the schema, from what the program knows; and the site
	go test ./config -run TestTheSchemaForEditors -update
	go test ./diff -run TestTheSchemaOf -update
	go test ./migrate -run TestTheSchemaOf -update
	go test ./internal/docs -run TestThePageOf -update
	@$(MAKE) --no-print-directory site

site: ## the documentation as web pages with a search, in dist/site
	@cd release/site && CGO_ENABLED=0 go run . -source '$(CURDIR)' -out '$(CURDIR)/dist/site'

e2e: ## the smaller modules of real parts: a program that embeds ours, sealed and encrypted secrets, Kubernetes' defaults, a browser, CI's entry points
	.ci/debian
	.ci/parts

e2e-install: ## as a stranger: docs/argocd.md line by line up to the first restart, krew, Helm 3 and 4, Homebrew's formula, go install
	cd e2e/argocd && CGO_ENABLED=0 go test -count=1 -timeout 60m -run TestThePageIsFollowedLineByLine ./stack
	cd e2e/install && CGO_ENABLED=0 go test -count=1 -timeout 30m ./...

e2e-vault: ## the clients of stores against a real Vault, which is built first
	cd e2e/vault && go test -count=1 ./...

lint: ## gofmt, go vet and golangci-lint, as pinned under tools/
	.ci/lint

golden: ## write again what is ours and stored: stories, stamps, schema; read the difference before you commit it
	go test ./cmd/rollstamp ./stamp ./config -update

fuzz: ## each fuzz test for FUZZTIME
	.ci/fuzz $(FUZZTIME)

bench: ## ours beside helm, kustomize and kyaml, or beside the older binary BEFORE=: ratios of CPU time and memory
	go run ./bench -before '$(BEFORE)' -charts '$(CHARTS)' -kustomizations '$(KUSTOMIZATIONS)' -streams '$(STREAMS)'

bench-growth: ## what ours costs as objects, applications, references and so on grow, up to runs of 10 s, with fitted exponents
	go run ./bench -growth 10s

unchanged: build ## does the build print the same bytes as the binary BEFORE=? TREES= names folders with inputs
	go run ./bench/unchanged -before '$(BEFORE)' -after bin/rollstamp -trees '$(TREES)'

suffixes: ## does strategy suffix rename what the generators of kustomize rename? TREES= names folders with kustomizations
	ROLLSTAMP_TREES="$$(realpath $$(echo '$(TREES)' | tr , ' ') | paste -sd :)" \
		go test -count=1 -v -timeout 60m ./wiring -run TestSuffixesAreWhereKustomizeWritesHashes

kustomizations: ## does the native way build what kustomize's library does? TREES= names folders with kustomizations; prints what is left to it, and why
	ROLLSTAMP_TREES="$$(realpath $$(echo '$(TREES)' | tr , ' ') | paste -sd :)" \
		go test -count=1 -v -timeout 120m ./render/kustomize -run TestTheNativeWayBuildsWhatTheLibraryDoes

extend: ## what an extension costs: adds one of each kind to a copy of the source, and runs it
	go run ./internal/extend

e2e-argocd: ## the real Argo CD with the plugin in it, on a real control plane; the first run builds both, for some 15 minutes
	cd e2e/argocd && CGO_ENABLED=0 go test -count=1 -timeout 60m ./contract ./native ./sets ./stack ./versions

e2e-argocd33: ## the same on a newer Argo CD, whose dry source names our plugin; the first run compiles for some 10 minutes
	cd e2e/argocd && CGO_ENABLED=0 go test -modfile=v33.mod -count=1 -timeout 60m -skip 'TestThePage|TestTheWorkedExample' ./contract ./native ./stack

e2e-flux: ## the real controllers of Flux and its command line on a real control plane; the first run builds them, for some 15 minutes
	cd e2e/flux && CGO_ENABLED=0 go test -count=1 -timeout 60m ./...

e2e-policies: ## strategies, decisions and Kyverno's CLI on a real control plane; the first run builds both
	cd e2e/policies && CGO_ENABLED=0 go test -count=1 -timeout 60m ./...

soak: ## argocd serve with one call in ten hostile: no other call fails, and 99 of 100 take at most three times as long; with many hostile projects at once; and what a worker costs
	ROLLSTAMP_SOAK_CALLS=3000 go test -count=1 -timeout 30m -v ./cmd/rollstamp -run \
		'TestHostileCallsDoNotHarmOthers|TestABombHarmsItsApplicationOnly|TestManyHostileProjects|TestAWarmWorkerCosts'

bench-argocd: ## the plugin beside shell plugins and inside its own server: ratios of CPU time
	cd e2e/argocd && CGO_ENABLED=0 go test -count=1 -timeout 60m -v ./cost

# A module of its own: what it needs is not what the program needs.
RELEASE = cd release && CGO_ENABLED=0 go run .
WHERE   = -source '$(CURDIR)' -out '$(CURDIR)/dist'

release: ## all files of a release in dist/, built twice and compared, and uploaded nowhere; VERSION=0.1.0
	@$(RELEASE) build $(WHERE) -version '$(VERSION)' $(if $(BUILDER),-builder '$(BUILDER)')
	@$(RELEASE) reproduce $(WHERE) -version '$(VERSION)' $(REPRODUCE)
	@$(RELEASE) vuln $(WHERE) $(VULN)

release-ready: ## can the commit be released as VERSION=: on main, with its section of the changelog? prints the notes
	@$(RELEASE) ready $(WHERE) -version '$(VERSION)'

vuln: ## known vulnerabilities in what the programs call (govulncheck, as pinned under tools/)
	@$(RELEASE) vuln $(WHERE) $(VULN)

image: ## the container image as an OCI layout in dist/image, without docker; a second one has a shell
	@$(RELEASE) image $(WHERE) -version '$(VERSION)' $(IMAGEFLAGS)

image-load: ## load what 'make image' wrote into docker
	@$(RELEASE) load $(WHERE) $(IMAGE)

image-push: ## push what 'make image' wrote to IMAGE=REGISTRY/NAME
	@$(RELEASE) push $(WHERE) $(PUSHFLAGS) $(IMAGE)

clean: ## remove what the other targets made here
	rm -rf bin dist
