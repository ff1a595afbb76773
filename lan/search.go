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

// Found is a lobby found by a search.
type Found struct {
	Info w3gs.GameInfo
	From netip.AddrPort // source of the answer; joins go to Info.Port at this address
	RTT  time.Duration  // time since the last search sent before the answer; zero for unsolicited announcements
	// Heard is the time of its last datagram; only Browse sets it.
	Heard time.Time
}

// JoinAddr returns the TCP address of the lobby.
func (f Found) JoinAddr() netip.AddrPort { return netip.AddrPortFrom(f.From.Addr(), f.Info.Port) }

// Players returns the number of players that clients display.
func (f Found) Players() int {
	return max(0, int(f.Info.Unknown)+int(f.Info.Slots)-int(f.Info.SlotsOpen))
}

func (f Found) compare(g Found) int {
	return cmp.Or(f.From.Compare(g.From), cmp.Compare(f.Info.GameID, g.Info.GameID))
}

// pace is how a search is repeated, because UDP loses datagrams.
type pace struct {
	tries int
	retry time.Duration // between two tries
	quiet time.Duration // without a new answer after the first one
}

var searchPace = pace{tries: 5, retry: 400 * time.Millisecond, quiet: 200 * time.Millisecond}

// Search searches one host or broadcast address for lobbies, with 0x2F or, for 1.30 to 2.0, an mDNS question. It repeats
// the question until there is an answer, then collects answers until none arrives for 200 ms. It returns ErrNoAnswer
// after 2 s of silence. The lobbies are sorted by address and game id, without duplicates.
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
		return nil, fmt.Errorf("%w at %v after %d searches for %v %v (game id %d): is the host running, and with that version?",
			ErrNoAnswer, to, p.tries, want.Product, w3gs.Version(want.Version), want.GameID)
	}
	return found, nil
}

// collect repeats the question until there is an answer.
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

// roundTrip returns the time from a question to its answer: from the last question sent before the answer arrived, since
// a newer one may be sent before the answer is processed. Zero means that there was no question.
func roundTrip(answered time.Time, sent []time.Time) time.Duration {
	for _, at := range slices.Backward(sent) {
		if rtt := answered.Sub(at); rtt >= 0 {
			return rtt
		}
	}
	return 0
}
