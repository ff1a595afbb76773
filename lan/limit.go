package lan

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// An answer is ten times as long as its search, and the source of a search can
// be forged. Each asker, an address whatever its port, gets a lobby's 0x30 once
// a second. That alone bounds what one address can be made to receive, but not
// the sum over all addresses that somebody can invent, so that each kind of
// source has a share of its own: whoever forges addresses of one kind uses up
// that share only.
const (
	// answerPause is the time between two answers about one lobby to one asker.
	answerPause = time.Second
	// answerSlack is the part of the pause by which an asker with a beat of one
	// second may be early now and then; over time it is still one a second.
	answerSlack = 10

	// The table of answers given is answerSets rows of answerWays: 2 MiB, and
	// room for what 50,000 forged searches a second leave behind. When a row is
	// full, the entry that ends first makes room.
	answerSets = 1 << 14
	answerWays = 8

	// maxKnown bounds the askers that are remembered from calm times, and
	// forgetKnown is after how long one makes room for another.
	maxKnown    = 4096
	forgetKnown = 10 * time.Minute

	// networkRate is how many answers a second a /24 beyond the router gets.
	networkRate = 64
	networkSets = 1 << 12
)

// kind is what is known about the source of a search.
type kind uint8

const (
	local    kind = iota // this machine: no other can send from these addresses
	known                // a target of the options, or one who asked in calm times
	attached             // in the network of an interface
	beyond               // anywhere else
	kinds
)

// share is what the sources of a kind get together.
type share struct {
	rate  rate.Limit // answers a second
	burst int
}

var shares = [kinds]share{
	local:    {60_000, 60_000}, // what a core can send besides its games
	known:    {4_096, 8_192},
	attached: {2_048, 4_096}, // twenty lobbies opened at once before two hundred clients
	beyond:   {512, 1_024},
}

// limiter grants answers. It may be used from several goroutines, and its
// memory does not grow with the number of askers.
type limiter struct {
	begun time.Time
	pause time.Duration
	seed  maphash.Seed
	hood  neighbours

	mu       sync.Mutex // guards what follows
	answered [][answerWays]answered
	shares   [kinds]*rate.Limiter
	networks []networkCount
	known    map[netip.Addr]time.Duration // when they last asked
}

// answered says when an asker may next be told of a lobby. Times count from the
// start of the limiter.
type answered struct {
	asker  [4]byte
	gameID uint32
	next   time.Duration
}

// networkCount counts the answers to a network in one second.
type networkCount struct {
	network [3]byte
	second  uint32
	n       uint32
}

func newLimiter(pause time.Duration, targets []netip.AddrPort) *limiter {
	l := &limiter{
		begun:    time.Now(),
		pause:    pause,
		seed:     maphash.MakeSeed(),
		answered: make([][answerWays]answered, answerSets),
		networks: make([]networkCount, networkSets),
		known:    map[netip.Addr]time.Duration{},
	}
	l.hood.targets = targets
	for k, s := range shares {
		l.shares[k] = rate.NewLimiter(s.rate, s.burst)
	}
	return l
}

// hear reports whether a search for any lobby is worth a look at all of them:
// not while the share of its kind is used up, nor within a fifth of the pause
// after the last one.
func (l *limiter) hear(at time.Time, from netip.Addr, k kind) bool {
	now := at.Sub(l.begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	k = l.better(now, from, k)
	last := l.entry(from, 0)
	if last.next > now || l.shares[k].TokensAt(at) < 1 {
		return false
	}
	*last = answered{asker: from.As4(), next: now + l.pause/5}
	return true
}

// grant reports whether an asker may be told of a lobby now, and counts it.
func (l *limiter) grant(at time.Time, from netip.Addr, k kind, gameID uint32) bool {
	now := at.Sub(l.begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.entry(from, gameID)
	if last.next > now+l.pause/answerSlack || !l.pay(at, from, l.better(now, from, k)) {
		return false
	}
	*last = answered{asker: from.As4(), gameID: gameID, next: max(now, last.next) + l.pause}
	return true
}

// entry is the place of an asker and a lobby in the table: theirs, else an
// empty one, else the one that ends first, with the time of its end taken away.
func (l *limiter) entry(from netip.Addr, gameID uint32) *answered {
	e := answered{asker: from.As4(), gameID: gameID}
	row := &l.answered[maphash.Comparable(l.seed, e)%answerSets]
	oldest := &row[0]
	for i := range row {
		if row[i].asker == e.asker && row[i].gameID == gameID {
			return &row[i]
		}
		if row[i].next < oldest.next {
			oldest = &row[i]
		}
	}
	oldest.next = 0
	return oldest
}

// better is the kind of an asker who may have come in calm times.
func (l *limiter) better(now time.Duration, from netip.Addr, k kind) kind {
	if _, ok := l.known[from]; ok && k > known {
		l.known[from] = now
		return known
	}
	return k
}

// pay takes an answer from the share of the asker's kind.
func (l *limiter) pay(at time.Time, from netip.Addr, k kind) bool {
	share, now := l.shares[k], at.Sub(l.begun)
	if share.TokensAt(at) < 1 || k == beyond && !l.network(now, from) {
		return false
	}
	share.AllowN(at, 1)
	if k > known && share.TokensAt(at) > float64(shares[k].burst/2) {
		l.remember(now, from)
	}
	return true
}

// network counts an answer to a network beyond the router, and reports whether
// it may have it.
func (l *limiter) network(now time.Duration, from netip.Addr) bool {
	c := networkCount{network: [3]byte(from.AsSlice())}
	at := &l.networks[maphash.Comparable(l.seed, c)%networkSets]
	if c.second = uint32(now / time.Second); at.network != c.network || at.second != c.second {
		*at = c
	}
	at.n++
	return at.n <= networkRate
}

// remember keeps an asker who came in calm times, if there is room.
func (l *limiter) remember(now time.Duration, from netip.Addr) {
	if len(l.known) >= maxKnown {
		looked := 0
		for addr, last := range l.known {
			if looked++; looked > answerWays {
				return
			}
			if now-last > forgetKnown {
				delete(l.known, addr)
				break
			}
		}
		if len(l.known) >= maxKnown {
			return
		}
	}
	l.known[from] = now
}
