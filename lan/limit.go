package lan

import (
	"hash/fnv"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits against amplification: an answer is ten times as long as its search, and
// the source of a search can be forged. Each asker, an address with any port, gets
// the 0x30 of a lobby once a second. That bounds the traffic that one address can receive, but
// not the sum over all forged addresses. So each kind of source has a share of its
// own, and forged addresses of one kind use up only that share.
const (
	// answerPause is the time between two answers about one lobby to one asker.
	answerPause = time.Second
	// answerSlack is the part of the pause by which one search of an asker may be
	// early; on average it is still one answer a second.
	answerSlack = 10

	// The table of answers given is answerSets rows of answerWays: 2 MiB, and
	// room for what 50,000 forged searches a second leave behind. When a row is
	// full, the entry that ends first makes room.
	answerSets = 1 << 14
	answerWays = 8

	// maxKnown bounds the askers that are remembered from times without load;
	// forgetKnown is the time after which one makes room for another.
	maxKnown    = 4096
	forgetKnown = 10 * time.Minute

	// networkRate is how many answers a second a /24 beyond the router gets.
	networkRate = 64
	networkSets = 1 << 12
)

// kind says from where a search comes.
type kind uint8

const (
	local    kind = iota // this machine: no other can send from these addresses
	known                // a target of the options, or an asker from a time without load
	attached             // in the network of an interface
	beyond               // anywhere else
	kinds
)

// share bounds the answers to all sources of a kind.
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
	begun      time.Time
	pause      time.Duration
	seed       maphash.Seed
	interfaces interfaceCache

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
	l.interfaces.targets = targets
	for k, s := range shares {
		l.shares[k] = rate.NewLimiter(s.rate, s.burst)
	}
	return l
}

// allowSearch reports whether a search for all lobbies is handled: not while the
// share of its kind is used up, nor within a fifth of the pause after the last one.
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

// grant reports whether an asker may have a lobby's 0x30 now, and counts it.
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

// asker is an address as the table has it. Those of IPv6, which only come from attached
// networks, are folded into a class that no host of IPv4 has.
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

// entry is the place of an asker and a lobby in the table: their own, else an empty
// one, else the one that ends first, with its time cleared.
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

// upgrade returns known for an asker that is remembered, else k.
func (l *limiter) upgrade(now time.Duration, from netip.Addr, k kind) kind {
	if _, ok := l.known[from]; ok && k > known {
		l.known[from] = now
		return known
	}
	return k
}

// spend takes an answer from the share of the asker's kind.
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

// network counts an answer to a network beyond the router, and reports whether it
// is within the limit.
func (l *limiter) network(now time.Duration, from netip.Addr) bool {
	c := networkCount{network: [3]byte(from.AsSlice())}
	at := &l.networks[maphash.Comparable(l.seed, c)%networkSets]
	if c.second = uint32(now / time.Second); at.network != c.network || at.second != c.second {
		*at = c
	}
	at.n++
	return at.n <= networkRate
}

// remember keeps an asker, if there is room.
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
