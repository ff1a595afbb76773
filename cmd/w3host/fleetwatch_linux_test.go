package main

import (
	"cmp"
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

// fleetWatch is a stranger who tries all the time to get into the lobbies of entries on several hosts. It
// knows which lobbies have let it in, and when.
type fleetWatch struct {
	t     *testing.T
	mu    sync.Mutex
	spans map[lobbyOf]*span
	away  []span // times in which nobody may have a lobby
}

// lobbyOf is one lobby of an entry on a run of a host.
type lobbyOf struct {
	entry, host string
	id          uint32
}

// span is from the first time that a stranger was in to the last time that one asked and came in.
type span struct{ from, to time.Time }

func newFleetWatch(t *testing.T) *fleetWatch { return &fleetWatch{t: t, spans: map[lobbyOf]*span{}} }

// watch tries to get into the lobbies of a host until ctx ends. run names the process.
func (w *fleetWatch) watch(ctx context.Context, addr, run string) {
	known := map[string]w3gs.GameInfo{} // the last lobby of each entry
	for ctx.Err() == nil {
		for _, info := range askLobbies(ctx, addr) {
			entry, _, _ := strings.Cut(info.Name, " ")
			known[entry] = info
		}
		for entry, info := range known {
			sent := time.Now()
			if !knock(ctx, addr, &info, "stranger") {
				continue
			}
			w.mu.Lock()
			s := w.spans[lobbyOf{entry, run, info.GameID}]
			if s == nil {
				s = &span{from: time.Now()}
				w.spans[lobbyOf{entry, run, info.GameID}] = s
			}
			s.to = sent
			w.mu.Unlock()
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// who lists the hosts that have let a stranger into a lobby of the entry since then.
func (w *fleetWatch) who(entry string, since time.Time) (hosts []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l, s := range w.spans {
		if l.entry == entry && s.to.After(since) {
			hosts = append(hosts, l.host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// await returns the host that lets strangers into the entry's lobby, after that time.
func (w *fleetWatch) await(entry string, since time.Time, but string) string {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, host := range w.who(entry, since) {
			if host != but {
				return host
			}
		}
	}
	w.t.Fatalf("nobody but %s has a lobby of %s", but, entry)
	return ""
}

// judge finds lobbies of an entry that let strangers in at the same time, and for how long none
// has let anybody in, without the times away.
func (w *fleetWatch) judge() (worst time.Duration, faults []string) {
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
		slices.SortFunc(list, func(a, b opened) int { return cmp.Compare(a.from.UnixNano(), b.from.UnixNano()) })
		for i, o := range list[1:] {
			before := list[i]
			if before.to.After(o.from) {
				faults = append(faults, fmt.Sprintf("%s: %s and %s let strangers in for %v", entry, before.host, o.host, min(before.to.Sub(o.from), o.to.Sub(o.from))))
			}
			gap := o.from.Sub(before.to)
			for _, a := range w.away {
				if from, to := later(a.from, before.to), later(o.from, a.to); to.Equal(o.from) || from.Before(a.to) {
					if over := minTime(a.to, o.from).Sub(from); over > 0 {
						gap -= over
					}
				}
			}
			worst = max(worst, gap)
		}
	}
	return worst, faults
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// askLobbies asks a host for its open lobbies; none if it does not answer.
func askLobbies(ctx context.Context, addr string) (list []w3gs.GameInfo) {
	_ = speak(ctx, addr, gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil), func(f []byte) bool {
		var info w3gs.GameInfo
		if f[0] != w3gs.Magic || info.Decode(w3gs.Frame(f).Body()) != nil {
			return false
		}
		list = append(list, info)
		return true
	})
	return list
}

// knock reports whether a stranger of that name comes into a lobby. It leaves at once.
func knock(ctx context.Context, addr string, info *w3gs.GameInfo, name string) (in bool) {
	join := &w3gs.ReqJoin{GameID: info.GameID, EntryKey: info.EntryKey, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}}
	_ = speak(ctx, addr, join.AppendTo(nil), func(f []byte) bool {
		in = w3gs.Frame(f).Op() == w3gs.OpSlotInfoJoin
		return false
	})
	return in
}

// speak sends one packet and shows the frames of the answer until one is enough. It waits for
// a host that is frozen.
func speak(ctx context.Context, addr string, packet []byte, more func(frame []byte) bool) error {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := conn.Write(packet); err != nil {
		return err
	}
	for {
		frame := make([]byte, 4, 2048)
		if _, err := io.ReadFull(conn, frame); err != nil {
			return err
		}
		frame = append(frame, make([]byte, max(0, int(frame[2])|int(frame[3])<<8-4))...)
		if _, err := io.ReadFull(conn, frame[4:]); err != nil {
			return err
		}
		if !more(frame) {
			return nil
		}
	}
}
