package site

import (
	"bytes"
	"context"
	"errors"
	"html"
	"sync"
	"time"

	"w3host/storage"
)

const (
	// mostKept bounds the copies that are kept, in bytes, and mostCopies their number.
	mostKept   = 24 << 20
	mostCopies = 2000
	// staleFor is the maximum age of a copy that is served while the database does not answer. Together with the two
	// minutes of a browser's cache it keeps the promise that a hidden or forgotten name is gone within five minutes.
	staleFor = 3 * time.Minute
)

// cache keeps the pages made last. While a page is made, others who ask for it wait for it.
type cache struct {
	now    func() time.Time
	mu     sync.Mutex
	copies map[string]*made
	making map[string]*making
	bytes  int
	epoch  int // rises when all copies are dropped
}

// making is a page that is being made.
type making struct {
	done  chan struct{}
	epoch int
	page  *made
	err   error
}

// fresh reports whether a page may be shown without a look at the data that it shows.
func (m *made) fresh(now time.Time) bool { return now.Sub(m.at) < min(m.keep, pageFor) }

// get returns the page of an id: the copy, or a new one. If the database does not answer, it returns the old copy, marked
// with its time.
func (c *cache) get(ctx context.Context, id string, do func(context.Context) (*made, error)) (*made, error) {
	c.mu.Lock()
	old := c.copies[id]
	if old != nil && old.fresh(c.now()) {
		c.mu.Unlock()
		return old, nil
	}
	one := c.making[id]
	if one == nil {
		one = &making{done: make(chan struct{}), epoch: c.epoch}
		if c.making == nil {
			c.copies, c.making = make(map[string]*made), make(map[string]*making)
		}
		c.making[id] = one
		c.mu.Unlock()
		c.make(context.WithoutCancel(ctx), id, old, one, do) // others wait for it, too
	} else {
		c.mu.Unlock()
	}
	select {
	case <-one.done:
		return one.page, one.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *cache) make(ctx context.Context, id string, old *made, one *making, do func(context.Context) (*made, error)) {
	one.err = errors.New("the page has a fault") // of a panic
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.making, id)
		close(one.done)
		switch {
		case one.err == nil && one.epoch == c.epoch && one.page.status == 200: // anybody can name pages that there are not
			c.put(id, one.page)
		case one.err == nil:
		case old != nil && c.now().Sub(old.at) < staleFor && (errors.Is(one.err, storage.ErrUnavailable) || errors.Is(one.err, context.DeadlineExceeded)):
			one.page, one.err = old.stale(), nil
		}
	}()
	if one.page, one.err = do(ctx); one.err == nil {
		one.page.at = c.now()
	}
}

// put keeps a page, and drops the oldest ones that there is no room for.
func (c *cache) put(id string, page *made) {
	c.drop(id)
	c.copies[id] = page
	c.bytes += page.size()
	for c.bytes > mostKept || len(c.copies) > mostCopies {
		oldest := id
		for other, m := range c.copies {
			if m.at.Before(c.copies[oldest].at) {
				oldest = other
			}
		}
		c.drop(oldest)
	}
}

func (c *cache) drop(id string) {
	if m := c.copies[id]; m != nil {
		c.bytes -= m.size()
		delete(c.copies, id)
	}
}

// clear drops all copies, also of pages that are being made.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.copies)
	c.bytes = 0
	c.epoch++
}

func (m *made) size() int { return len(m.body) + len(m.packed) + 500 }

var mainTag = []byte(`<main id="main" tabindex="-1">`)

// stale is a copy of a page that cannot be made anew: it says of when it is.
func (m *made) stale() *made {
	if m.asOf == "" {
		return m
	}
	body := bytes.Replace(m.body, mainTag, []byte(string(mainTag)+`<p class="why">`+html.EscapeString(m.asOf)+`</p>`), 1)
	old := finish(m.status, m.kind, body, 0)
	old.at = m.at
	return old
}
