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
	// mostKept is the maximum size of all cached pages in bytes, and mostCopies their maximum number.
	mostKept   = 24 << 20
	mostCopies = 2000
	// staleFor is the maximum age of a copy that is served while the database does not answer. Together with the two
	// minutes of a browser's cache it keeps the promise that a hidden or forgotten name is gone within five minutes.
	staleFor = 3 * time.Minute
)

// cache is a cache of rendered pages. Concurrent requests for the same page wait for one rendering.
type cache struct {
	now    func() time.Time
	mu     sync.Mutex
	copies map[string]*made
	making map[string]*making
	bytes  int
	epoch  int // incremented by clear
}

// making is a page that is being rendered.
type making struct {
	done  chan struct{}
	epoch int
	page  *made
	err   error
}

// fresh reports whether a cached page may be shown without rendering it again.
func (m *made) fresh(now time.Time) bool { return now.Sub(m.at) < min(m.keep, pageFor) }

// get returns the cached page of an id, or calls do to render it. If the database does not answer, it returns the expired
// copy with a note of its age.
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
		c.make(context.WithoutCancel(ctx), id, old, one, do) // other requests may wait for the page, so this one's cancellation must not stop it
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
	one.err = errors.New("the page has a fault") // remains if do panics
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.making, id)
		close(one.done)
		switch {
		case one.err == nil && one.epoch == c.epoch && one.page.status == 200: // error pages are not cached: visitors could fill the cache with them
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

// put adds a page to the cache and removes the oldest pages while the cache is over its limits.
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

// clear empties the cache. Pages that are being rendered now will not be cached.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.copies)
	c.bytes = 0
	c.epoch++
}

func (m *made) size() int { return len(m.body) + len(m.packed) + 500 }

var mainTag = []byte(`<main id="main" tabindex="-1">`)

// stale returns a copy of an expired page with a note of the time at which it was rendered.
func (m *made) stale() *made {
	if m.asOf == "" {
		return m
	}
	body := bytes.Replace(m.body, mainTag, []byte(string(mainTag)+`<p class="why">`+html.EscapeString(m.asOf)+`</p>`), 1)
	old := finish(m.status, m.kind, body, 0)
	old.at = m.at
	return old
}
