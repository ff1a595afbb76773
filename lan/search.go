package lan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// ErrNoAnswer means that no host answered a search.
var ErrNoAnswer = errors.New("no lobby answered")

// Found is a lobby that answered a search.
type Found struct {
	Info w3gs.GameInfo
	From netip.AddrPort // where the answer came from; joins go to Info.Port there
	RTT  time.Duration  // since the search that was sent last before it; zero when it was not asked for
	// Heard is when it last gave a sign; Browse sets it.
	Heard time.Time
}

// JoinAddr is the TCP address of the lobby.
func (f Found) JoinAddr() netip.AddrPort { return netip.AddrPortFrom(f.From.Addr(), f.Info.Port) }

// Players is how many the list of a client shows as present.
func (f Found) Players() int {
	return max(0, int(f.Info.Unknown)+int(f.Info.Slots)-int(f.Info.SlotsOpen))
}

func (f Found) compare(g Found) int {
	return cmp.Or(f.From.Compare(g.From), cmp.Compare(f.Info.GameID, g.Info.GameID))
}

// pace is how a search repeats itself: UDP loses datagrams.
type pace struct {
	tries int
	retry time.Duration // between two tries
	quiet time.Duration // without a new answer after the first one
}

var searchPace = pace{tries: 5, retry: 400 * time.Millisecond, quiet: 200 * time.Millisecond}

// Search asks one host, or a broadcast address, for lobbies: 0x2F out, 0x30
// back; for 1.30 to 2.0, a host of ours the question that clients ask everybody.
// It repeats the question until somebody answers, then collects answers
// until none has come for 200 ms. Silence for 2 s is ErrNoAnswer. The lobbies
// come sorted by address and game id, each once.
func Search(ctx context.Context, to netip.AddrPort, want w3gs.SearchGame) ([]Found, error) {
	return search(ctx, to, want, searchPace)
}

func search(ctx context.Context, to netip.AddrPort, want w3gs.SearchGame, p pace) ([]Found, error) {
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return nil, fmt.Errorf("search for lobbies: %w", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := make(chan message)
	go listenTo(ctx, conn, true, in) // ends when its socket is closed
	question := serviceQuestion(want)
	if question == nil {
		question = onWire(want)
	}
	found, err := collect(ctx, want, p, in, func() error {
		_, err := conn.WriteToUDPAddrPort(question, to)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("search for lobbies at %v: %w", to, err)
	case len(found) == 0:
		return nil, fmt.Errorf("%w at %v after %d searches for %v %v (game id %d): is the host up, and of that version?",
			ErrNoAnswer, to, p.tries, want.Product, w3gs.Version(want.Version), want.GameID)
	}
	return found, nil
}

// collect asks until somebody answers.
func collect(ctx context.Context, want w3gs.SearchGame, p pace, in <-chan message, ask func() error) (found []Found, err error) {
	var sent []time.Time
	for range p.tries {
		sent = append(sent, time.Now())
		if err := ask(); err != nil {
			return nil, err
		}
		quiet := time.After(p.retry)
		for quiet != nil {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case m := <-in:
				info, _ := m.packet.(*w3gs.GameInfo)
				if info == nil || info.Product != want.Product || info.Version != want.Version || want.GameID != 0 && want.GameID != info.GameID {
					continue
				}
				if f := (Found{Info: *info, From: m.from, RTT: roundTrip(m.at, sent)}); !slices.ContainsFunc(found, func(g Found) bool { return f.compare(g) == 0 }) {
					found = append(found, f)
					quiet = time.After(p.quiet)
				}
			case <-quiet:
				quiet = nil
			}
		}
		if len(found) > 0 {
			slices.SortFunc(found, Found.compare)
			break
		}
	}
	return found, nil
}

// roundTrip is the time from a question to its answer: the newest question that had been sent
// when the answer came, since a newer one may be sent before the answer is looked at. Zero
// means that nothing had been asked.
func roundTrip(answered time.Time, sent []time.Time) time.Duration {
	for _, at := range slices.Backward(sent) {
		if rtt := answered.Sub(at); rtt >= 0 {
			return rtt
		}
	}
	return 0
}
