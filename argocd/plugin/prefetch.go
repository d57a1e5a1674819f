package plugin

import (
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/files"
)

// prefetcher remembers what calls have read of their files, so that the next call about the same application sends its
// worker all of that with the request. A question costs both processes far more than its answer is worth, and a small
// chart has some thirty.
type prefetcher struct {
	mu    sync.Mutex
	reads map[subject]files.Questions // of the last call about each
	count int                         // of all questions in reads
	last  map[string]subject          // by what was done: the last one
}

// subject is what a call is about.
type subject struct{ do, app, dir string }

const (
	// mostAhead is how many bytes of answers are sent with a request.
	mostAhead = 1 << 20
	// mostRemembered is how many questions are remembered in all, which are about 100 bytes each.
	mostRemembered = 100_000
	// mostOfOne is how many questions about one application are.
	mostOfOne = 2_000
)

func newPrefetcher() *prefetcher {
	return &prefetcher{reads: map[subject]files.Questions{}, last: map[string]subject{}}
}

func subjectOf(do string, c server.Call) subject { return subject{do, c.Env["ARGOCD_APP_NAME"], c.Dir} }

// likely returns what a call will probably read: what the last one about it read, or where there was none, what the
// last one about anything read, in its own folder.
func (p *prefetcher) likely(s subject) files.Questions {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.reads[s]; ok {
		return known
	}
	last := p.last[s.do]
	known := p.reads[last]
	out := make(files.Questions, len(known))
	for i, q := range known {
		if below, ok := strings.CutPrefix(q.Path, last.dir); ok && (below == "" || below[0] == '/') {
			q.Path = s.dir + below
		}
		out[i] = q
	}
	return out
}

// remember keeps what a call has read. Where that is too much in all, others are forgotten.
func (p *prefetcher) remember(s subject, read files.Questions) {
	read = read[:min(len(read), mostOfOne)]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count += len(read) - len(p.reads[s])
	p.reads[s], p.last[s.do] = read, s
	for other, known := range p.reads {
		if p.count <= mostRemembered {
			return
		}
		if other != s {
			p.count -= len(known)
			delete(p.reads, other)
		}
	}
}

// reader answers what one call's worker wants to know of the call's files.
type reader struct {
	tree  files.System
	ahead files.Questions // whose answers were sent with the request
	read  files.Questions
}

// send returns the answers to what is likely to be read. Only what is used of them counts as read.
func (r *reader) send(likely files.Questions) (ahead []byte) {
	r.ahead, ahead = files.AnswerAhead(files.Unrecorded(r.tree), likely, mostAhead)
	return ahead
}

// use counts answers that were sent ahead as read, by their number.
func (r *reader) use(numbers []int) error {
	for _, n := range numbers {
		if n < 0 || n >= len(r.ahead) {
			return errAnswer()
		}
		_ = r.ahead[n].Ask(r.tree) // which records it
		r.read = append(r.read, r.ahead[n])
	}
	return nil
}

// reply answers a question of the worker.
func (r *reader) reply(question []byte) []byte {
	if len(question) > 0 {
		r.read = append(r.read, files.Question{Method: files.Method(question[0]), Path: string(question[1:])})
	}
	return files.ReplyTo(r.tree, question)
}
