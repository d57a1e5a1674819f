package files

// AnswerAhead returns the answers to questions that a Remote is likely to ask, so that it need not, with the questions
// that they answer: as many, from the first, as their answers take most bytes. One that takes more by itself is left
// out.
func AnswerAhead(system System, likely Questions, most int) (answered Questions, ahead []byte) {
	for _, q := range likely {
		if q.Method == Reading && sizeOf(system, q.Path) > int64(most-len(ahead)) {
			continue
		}
		question := q.encode()
		reply := ReplyTo(system, question)
		if len(ahead)+len(question)+len(reply) > most {
			continue
		}
		answered = append(answered, q)
		ahead = appendText(appendText(ahead, string(question)), string(reply))
	}
	return answered, ahead
}

// sizeOf returns the size of a file; 0 where it cannot be told.
func sizeOf(system System, path string) int64 {
	info, err := system.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// encode returns the question as ReplyTo takes it.
func (q Question) encode() []byte { return append([]byte{byte(q.Method)}, q.Path...) }

// decodeAhead reads what AnswerAhead returns.
func decodeAhead(ahead []byte) map[Question]*once {
	known := map[Question]*once{}
	rest := reply(ahead)
	for number := 0; len(rest) > 0; number++ {
		question := rest.text()
		answer := rest.bytes()
		if question != "" {
			known[Question{Method(question[0]), question[1:]}] = &once{sent: answer, number: number}
		}
	}
	return known
}

// Used returns which of the answers that were sent ahead were asked for since the last call: their numbers, from 0.
func (r *Remote) Used() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.used
	r.used = nil
	return out
}

// use notes that an answer sent ahead was asked for.
func (r *Remote) use(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = append(r.used, number)
}
