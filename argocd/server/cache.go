package server

import (
	"container/list"
	"sync"
)

// cache holds the values that were used last, up to a number of bytes. It is safe for several goroutines.
type cache[V any] struct {
	most int64
	cost func(V) int64

	mu    sync.Mutex
	used  int64
	order *list.List // of *entry[V], the last used first
	byKey map[key]*list.Element
}

type entry[V any] struct {
	key   key
	value V
}

func newCache[V any](most int64, cost func(V) int64) *cache[V] {
	return &cache[V]{most: most, cost: cost, order: list.New(), byKey: map[key]*list.Element{}}
}

func (c *cache[V]) get(k key) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[k]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[V]).value, true
}

// largest returns the cost of the largest value that is cached: half of the cache.
func (c *cache[V]) largest() int64 { return c.most / 2 }

// put stores a value, unless it is too large.
func (c *cache[V]) put(k key, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[k]; ok {
		c.drop(e)
	}
	size := c.cost(v)
	if size > c.largest() {
		return
	}
	c.used += size
	c.byKey[k] = c.order.PushFront(&entry[V]{k, v})
	for c.used > c.most {
		c.drop(c.order.Back())
	}
}

func (c *cache[V]) drop(e *list.Element) {
	old := c.order.Remove(e).(*entry[V])
	delete(c.byKey, old.key)
	c.used -= c.cost(old.value)
}

// size returns the number of values and their bytes.
func (c *cache[V]) size() (values int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byKey), c.used
}
