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

	"w3host/w3gs"
)

// ErrNoAnswer means that no host answered a search.
var ErrNoAnswer = errors.New("no lobby answered")

// Found is a lobby that answered a search.
type Found struct {
	Info w3gs.GameInfo
	From netip.AddrPort // where the answer came from; joins go to Info.Port there
	RTT  time.Duration  // since the search sent last; zero when it was not asked for
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
// back. It repeats the question until somebody answers, then collects answers
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
	// Ends with this function; a cancelled context makes the read below return.
	defer context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })()

	question := want.AppendTo(nil)
	var found []Found
	for range p.tries {
		sent := time.Now()
		if _, err := conn.WriteToUDPAddrPort(question, to); err != nil {
			return nil, fmt.Errorf("search for lobbies at %v: %w", to, err)
		}
		found, err = collect(ctx, conn, want, sent, p)
		if err != nil {
			return nil, fmt.Errorf("search for lobbies at %v: %w", to, err)
		}
		if len(found) > 0 {
			slices.SortFunc(found, Found.compare)
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w at %v after %d searches for %v 1.%d (game id %d): is the host up, and of that version?",
		ErrNoAnswer, to, p.tries, want.Product, want.Version, want.GameID)
}

// collect reads answers: for the retry time while there is none, then until it
// has been quiet.
func collect(ctx context.Context, conn *net.UDPConn, want w3gs.SearchGame, sent time.Time, p pace) ([]Found, error) {
	buf := make([]byte, datagramSize)
	until := sent.Add(p.retry)
	var found []Found
	for {
		if err := conn.SetReadDeadline(until); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil { // after the deadline, which would undo the cancelling one
			return nil, err
		}
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && time.Now().Before(until):
			continue // some systems report a closed port of the host this way
		case err != nil:
			return found, nil
		}
		f := Found{From: netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), RTT: time.Since(sent)}
		if !f.parse(buf[:n], want) || slices.ContainsFunc(found, f.same) {
			continue
		}
		found = append(found, f)
		until = time.Now().Add(p.quiet)
	}
}

// parse reads a datagram and reports whether it answers the question.
func (f *Found) parse(datagram []byte, want w3gs.SearchGame) bool {
	frame, err := w3gs.ParseDatagram(datagram)
	if err != nil || frame.Op() != w3gs.OpGameInfo || f.Info.Decode(frame.Body()) != nil {
		return false
	}
	return f.Info.Product == want.Product && f.Info.Version == want.Version &&
		(want.GameID == 0 || want.GameID == f.Info.GameID)
}

func (f Found) same(g Found) bool { return f.From == g.From && f.Info.GameID == g.Info.GameID }
