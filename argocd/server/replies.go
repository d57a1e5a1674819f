package server

import (
	"weak"

	"github.com/rollstamp/rollstamp/files"
)

// replies caches answers: by job, and for each job by what its render read.
type replies struct {
	byJob    *cache[variants]
	byUpload *cache[alias]
}

// variants are answers to the same job on different trees, the latest first. They are read-only.
type variants []*reply

// maxVariants is how many trees are remembered for one job: those of a few branches.
const maxVariants = 4

func (v variants) cost() (n int64) {
	for _, r := range v {
		n += r.cost()
	}
	return n
}

// alias leads from an upload to its reply without unpacking it. It does not keep the reply alive.
type alias struct {
	job   key
	reply weak.Pointer[reply]
}

// aliasSize is about the memory of one alias.
const aliasSize = 256

func newReplies(bytes int64) replies {
	return replies{newCache(bytes, variants.cost), newCache(bytes/16, func(alias) int64 { return aliasSize })}
}

// again returns the reply to an equal earlier upload, or nil.
func (r replies) again(upload key) *reply {
	a, ok := r.byUpload.get(upload)
	if !ok {
		return nil
	}
	r.byJob.get(a.job) // marks it as used
	return a.reply.Value()
}

// find returns the reply to a job on a tree in which everything that the render read is the same, or nil.
func (r replies) find(job key, tree files.System) *reply {
	known, _ := r.byJob.get(job)
	for _, one := range known {
		if one.seen.Holds(tree) {
			return one
		}
	}
	return nil
}

// keep stores a reply to a job. If there are many, it replaces the oldest.
func (r replies) keep(job key, one *reply) {
	known, _ := r.byJob.get(job)
	all := append(variants{one}, known[:min(len(known), maxVariants-1)]...)
	if all.cost() > r.byJob.largest() {
		all = all[:1]
	}
	r.byJob.put(job, all)
}

func (r replies) alias(upload, job key, one *reply) {
	r.byUpload.put(upload, alias{job, weak.Make(one)})
}

// size returns the number of questions that have answers, and the bytes of these.
func (r replies) size() (jobs int, bytes int64) { return r.byJob.size() }

// reply is an encoded answer, with the reads that it depends on.
type reply struct {
	wire      []byte
	manifests int
	reusable  bool
	seen      files.Record
}

func (r *reply) cost() int64 { return int64(len(r.wire)) + recordCost(r.seen) + 256 }

// How a call was answered, for metrics and logs.
const (
	rendered   = "rendered"
	shared     = "shared"       // with an equal call that was running
	sameUpload = "same-archive" // from the cache, without unpacking
	sameInputs = "same-inputs"  // from the cache, without rendering: nothing has changed that the render read
	stored     = "render-cache" // which outlives the process, and is the plugin's
	failed     = "failed"
)

// outcome is a reply and how it was found.
type outcome struct {
	reply *reply
	how   string
}

// recordCost is about what a record weighs.
func recordCost(r files.Record) (n int64) {
	const each = 64
	for _, a := range r {
		n += each + int64(len(a.Path))
	}
	return n
}
