// Package fleetwatch checks in tests that the hosts of a fleet behave correctly: a stranger constantly tries
// to join their lobbies, and Judge finds overlaps and gaps.
package fleetwatch

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// Watch records which lobbies of autohost entries have admitted the stranger, and when.
type Watch struct {
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	spans map[lobbyOf]*span
	away  []span // periods in which no host may have a lobby
	quiet map[string]bool
}

// lobbyOf is one lobby of an entry on a host.
type lobbyOf struct {
	entry, host string
	id, key     uint32
}

// span is the period from the first successful join to the last join request that succeeded.
type span struct{ from, to time.Time }

// New returns a Watch for hosts that this machine can reach; Dial may be replaced.
func New() *Watch {
	dialer := &net.Dialer{Timeout: time.Second}
	return &Watch{spans: map[lobbyOf]*span{}, quiet: map[string]bool{}, Dial: dialer.DialContext}
}

// Host tries to join the lobbies of a host until ctx ends.
func (w *Watch) Host(ctx context.Context, addr, run string) {
	known := map[string]w3gs.GameInfo{} // the latest lobby of each entry
	for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		asked := time.Now()
		for _, info := range w.Lobbies(ctx, addr) {
			entry, _, _ := strings.Cut(info.Name, " ")
			known[entry] = info
			if w.isQuiet(entry) {
				w.saw(lobbyOf{entry, run, info.GameID, info.EntryKey}, asked)
			}
		}
		for entry, info := range known {
			sent := time.Now()
			if !w.isQuiet(entry) && w.Knock(ctx, addr, &info, "stranger") {
				w.saw(lobbyOf{entry, run, info.GameID, info.EntryKey}, sent)
			}
		}
	}
}

// saw records that a lobby has admitted a stranger who asked at the given time.
func (w *Watch) saw(lobby lobbyOf, asked time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.spans[lobby]
	if s == nil {
		s = &span{from: time.Now()}
		w.spans[lobby] = s
	}
	s.to = asked
}

// Played records that others have started a game in a lobby found at the given time. It may have been full
// before the stranger asked.
func (w *Watch) Played(entry, host string, info *w3gs.GameInfo, found time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if lobby := (lobbyOf{entry, host, info.GameID, info.EntryKey}); w.spans[lobby] == nil {
		w.spans[lobby] = &span{found, found}
	}
}

// Quiet makes the stranger only check whether lobbies of an entry are listed, because constant joining and
// leaving keeps games from starting.
func (w *Watch) Quiet(entry string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet[entry] = on
}

func (w *Watch) isQuiet(entry string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.quiet[entry]
}

// Away runs do, during which Postgres is unavailable to all hosts.
func (w *Watch) Away(do func()) {
	from := time.Now()
	do()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = append(w.away, span{from, time.Now()})
}

// Seen returns the number of lobbies that have admitted the stranger.
func (w *Watch) Seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.spans)
}

// Who returns a host other than but that has admitted a stranger to a lobby of the entry after since, or "".
// Among several it returns the first by name.
func (w *Watch) Who(entry string, since time.Time, but string) (host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l, s := range w.spans {
		if l.entry == entry && l.host != but && s.to.After(since) && (host == "" || l.host < host) {
			host = l.host
		}
	}
	return host
}

// Await waits for a host as described for Who and returns it.
func (w *Watch) Await(t testing.TB, entry string, since time.Time, but string) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if host := w.Who(entry, since, but); host != "" {
			return host
		}
	}
	t.Fatalf("nobody but %s has a lobby of %s", but, entry)
	return ""
}

// Gap is a period in which no lobby of an entry admitted anybody. Long excludes the times in Away.
type Gap struct {
	Entry, Before, After string // entry, and the hosts that had it before and after
	From, To             time.Time
	Long                 time.Duration
}

func (g Gap) String() string {
	return fmt.Sprintf("%s had no lobby from %s (%s) to %s (%s), %v without the times away", g.Entry, g.From.Format("15:04:05.0"), g.Before, g.To.Format("15:04:05.0"), g.After, g.Long)
}

// Judge reports lobbies of an entry that admitted strangers at the same time, and the longest gap.
func (w *Watch) Judge() (worst Gap, faults []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	type opened struct {
		lobbyOf
		*span
	}
	byEntry := map[string][]opened{}
	for l, s := range w.spans {
		byEntry[l.entry] = append(byEntry[l.entry], opened{l, s})
	}
	for entry, list := range byEntry {
		slices.SortFunc(list, func(a, b opened) int { return a.from.Compare(b.from) })
		for i, o := range list[1:] {
			before := list[i]
			if before.to.After(o.from) {
				faults = append(faults, fmt.Sprintf("%s: %s and %s let strangers in for %v", entry, before.host, o.host, min(before.to.Sub(o.from), o.to.Sub(o.from))))
			}
			if long := w.without(span{before.to, o.from}); long > worst.Long {
				worst = Gap{entry, before.host, o.host, before.to, o.from, long}
			}
		}
	}
	return worst, faults
}

// without returns the length of a period without the times in Away.
func (w *Watch) without(s span) (long time.Duration) {
	slices.SortFunc(w.away, func(a, b span) int { return a.from.Compare(b.from) })
	for _, a := range w.away {
		long += max(min(a.from.Sub(s.from), s.to.Sub(s.from)), 0)
		if a.to.After(s.from) {
			s.from = a.to
		}
	}
	return long + max(s.to.Sub(s.from), 0)
}

// Lobbies returns the open lobbies of a host, or none if it does not answer.
func (w *Watch) Lobbies(ctx context.Context, addr string) (list []w3gs.GameInfo) {
	w.speak(ctx, addr, gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil), func(f []byte) bool {
		var info w3gs.GameInfo
		if f[0] != w3gs.Magic || info.Decode(w3gs.Frame(f).Body()) != nil {
			return false
		}
		list = append(list, info)
		return true
	})
	return list
}

// Knock reports whether a stranger with the given name can join a lobby. It leaves immediately.
func (w *Watch) Knock(ctx context.Context, addr string, info *w3gs.GameInfo, name string) (in bool) {
	join := &w3gs.ReqJoin{GameID: info.GameID, EntryKey: info.EntryKey, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}}
	w.speak(ctx, addr, join.AppendTo(nil), func(f []byte) bool {
		in = w3gs.Frame(f).Op() == w3gs.OpSlotInfoJoin
		return false
	})
	return in
}

// speak sends one packet and passes the frames of the answer to more, until it returns false or the
// connection ends. It waits for a frozen host.
func (w *Watch) speak(ctx context.Context, addr string, packet []byte, more func(frame []byte) bool) {
	conn, err := w.Dial(ctx, "tcp", addr)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := conn.Write(packet); err != nil {
		return
	}
	for {
		frame := make([]byte, 4, 2048)
		if _, err := io.ReadFull(conn, frame); err != nil {
			return
		}
		frame = append(frame, make([]byte, max(0, int(frame[2])|int(frame[3])<<8-4))...)
		if _, err := io.ReadFull(conn, frame[4:]); err != nil || !more(frame) {
			return
		}
	}
}
