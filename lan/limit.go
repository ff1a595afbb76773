package lan

import (
	"hash/fnv"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits against amplification attacks: an answer is ten times as long as its search, and the source of a search can be
// forged. Each source address gets the 0x30 of a lobby at most once per second. That limits the traffic to one address
// but not the sum over all forged addresses, so each kind of source also has a share of the total, and forged addresses
// of one kind can only exhaust that share.
const (
	// answerPause is the minimum time between two answers about one lobby to one address.
	answerPause = time.Second
	// answerSlack is the fraction of the pause by which one search may be early; on average it is still one answer per
	// second.
	answerSlack = 10

	// The table of recent answers has answerSets rows of answerWays entries: 2 MiB, enough for 50,000 forged searches
	// per second. In a full row, the entry that expires first is replaced.
	answerSets = 1 << 14
	answerWays = 8

	// maxKnown is the number of addresses remembered from times without load; an entry can be replaced after
	// forgetKnown.
	maxKnown    = 4096
	forgetKnown = 10 * time.Minute

	// networkRate is the number of answers per second for a /24 network beyond the router.
	networkRate = 64
	networkSets = 1 << 12
)

// kind classifies the source of a search.
type kind uint8

const (
	local    kind = iota // this machine, whose addresses no other can forge
	known                // a target of the options, or an address seen at a time without load
	attached             // in the network of an interface
	beyond               // anywhere else
	kinds
)

// share limits the answers to all sources of a kind.
type share struct {
	rate  rate.Limit // answers per second
	burst int
}

var shares = [kinds]share{
	local:    {60_000, 60_000}, // what one core can send in addition to its games
	known:    {4_096, 8_192},
	attached: {2_048, 4_096}, // twenty lobbies opened at once with two hundred clients
	beyond:   {512, 1_024},
}

// limiter is the rate limiter of answers. It may be used from several goroutines, and its memory does not grow with the
// number of addresses.
type limiter struct {
	begun      time.Time
	pause      time.Duration
	seed       maphash.Seed
	interfaces interfaceCache

	mu       sync.Mutex // guards the following fields
	answered [][answerWays]answered
	shares   [kinds]*rate.Limiter
	networks []networkCount
	known    map[netip.Addr]time.Duration // when they last searched
}

// answered records when an address may next receive a lobby. Times count from the start of the limiter.
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
	l.interfaces.targets = targets
	for k, s := range shares {
		l.shares[k] = rate.NewLimiter(s.rate, s.burst)
	}
	return l
}

// allowSearch reports whether to handle a search for all lobbies. It refuses while the share of its kind is used up, and
// within a fifth of the pause after the last one.
func (l *limiter) allowSearch(at time.Time, from netip.Addr, k kind) bool {
	now := at.Sub(l.begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	k = l.upgrade(now, from, k)
	last := l.entry(from, 0)
	if last.next > now || l.shares[k].TokensAt(at) < 1 {
		return false
	}
	*last = answered{asker: asker(from), next: now + l.pause/5}
	return true
}

// grant reports whether an address may receive a lobby's 0x30 now, and counts it.
func (l *limiter) grant(at time.Time, from netip.Addr, k kind, gameID uint32) bool {
	now := at.Sub(l.begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.entry(from, gameID)
	if last.next > now+l.pause/answerSlack || !l.spend(at, from, l.upgrade(now, from, k)) {
		return false
	}
	*last = answered{asker: asker(from), gameID: gameID, next: max(now, last.next) + l.pause}
	return true
}

// asker returns an address as stored in the table. IPv6 addresses, which come only from attached networks, are hashed
// into a range that no IPv4 host uses.
func asker(from netip.Addr) [4]byte {
	if from.Is4() {
		return from.As4()
	}
	sum := fnv.New32a()
	sum.Write(from.AsSlice())
	b := [4]byte(sum.Sum(nil))
	b[0] |= 0xF0
	return b
}

// entry returns the table entry for an address and a lobby: its own if it exists, otherwise the one that expires first,
// with its time cleared.
func (l *limiter) entry(from netip.Addr, gameID uint32) *answered {
	e := answered{asker: asker(from), gameID: gameID}
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

// upgrade returns known if the address is remembered, otherwise k.
func (l *limiter) upgrade(now time.Duration, from netip.Addr, k kind) kind {
	if _, ok := l.known[from]; ok && k > known {
		l.known[from] = now
		return known
	}
	return k
}

// spend takes an answer from the share of the address's kind.
func (l *limiter) spend(at time.Time, from netip.Addr, k kind) bool {
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

// network counts an answer to a network beyond the router and reports whether it is within the limit.
func (l *limiter) network(now time.Duration, from netip.Addr) bool {
	c := networkCount{network: [3]byte(from.AsSlice())}
	at := &l.networks[maphash.Comparable(l.seed, c)%networkSets]
	if c.second = uint32(now / time.Second); at.network != c.network || at.second != c.second {
		*at = c
	}
	at.n++
	return at.n <= networkRate
}

// remember stores an address, if there is room.
func (l *limiter) remember(now time.Duration, from netip.Addr) {
	looked := 0
	for addr, last := range l.known {
		if len(l.known) < maxKnown {
			break
		}
		if looked++; looked > answerWays {
			return
		}
		if now-last > forgetKnown {
			delete(l.known, addr)
		}
	}
	l.known[from] = now
}
