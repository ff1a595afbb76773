package play

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"w3host/lan"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// Limits of an answer, because the host is not trusted.
const (
	askTimeout  = 10 * time.Second
	maxAnswer   = 256 << 10 // in bytes
	maxLobbies  = 500
	maxVersions = 32 // per lobby
	// soonest and latest limit the interval of queries, whatever the host says.
	soonest, latest = 3 * time.Second, 2 * time.Minute
)

// Errors of an answer.
var (
	errNoList = errors.New("the answer is not a list of lobbies")
	errLong   = errors.New("the answer is too long")
)

// answer is the answer of a host about its open lobbies.
type answer struct {
	lobbies []w3gs.GameInfo
	state   gproxy.ListState
	nextAsk time.Duration // time until the next query
}

// ask queries a host for its open lobbies. at is the address at which it was reached.
func ask(ctx context.Context, host string) (a answer, at netip.AddrPort, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return a, at, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	at = conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	if _, err = conn.Write(gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil)); err == nil {
		a, err = readAnswer(conn)
	}
	return a, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), err
}

// readAnswer reads an answer up to its Listed packet.
func readAnswer(r io.Reader) (a answer, err error) {
	limited := &io.LimitedReader{R: r, N: maxAnswer}
	var head [w3gs.HeaderSize]byte
	for {
		if _, err := io.ReadFull(limited, head[:]); err != nil {
			return a, cutOff(limited, err)
		}
		frame := make([]byte, binary.LittleEndian.Uint16(head[2:]))
		if len(frame) < len(head) {
			return a, errNoList
		}
		copy(frame, head[:])
		if _, err := io.ReadFull(limited, frame[len(head):]); err != nil {
			return a, cutOff(limited, err)
		}
		switch {
		case frame[0] == gproxy.Magic:
			packet, err := gproxy.Decode(frame)
			end, ok := packet.(gproxy.Listed)
			if err != nil || !ok {
				return a, errNoList
			}
			a.state = end.State
			a.nextAsk = min(max(time.Duration(end.Seconds)*time.Second, soonest), latest)
			return a, nil
		case frame[0] != w3gs.Magic || w3gs.Op(frame[1]) != w3gs.OpGameInfo:
			return a, errNoList
		}
		var info w3gs.GameInfo
		if err := info.Decode(frame[w3gs.HeaderSize:]); err != nil {
			return a, fmt.Errorf("%w: %w", errNoList, err)
		}
		if clean(&info); a.room(&info) {
			a.lobbies = append(a.lobbies, info)
		}
	}
}

// cutOff returns the reason why an answer ended too early.
func cutOff(r *io.LimitedReader, err error) error {
	if r.N <= 0 {
		return errLong
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errNoList
	}
	return err
}

// room reports whether a lobby is within the limits and of a known version.
func (a *answer) room(info *w3gs.GameInfo) bool {
	versions := 0
	for i := range a.lobbies {
		if a.lobbies[i].GameID == info.GameID {
			versions++
		}
	}
	v := w3gs.Version(info.Version)
	known := v >= w3gs.FirstVersion && v < w3gs.VersionThree+w3gs.VersionTwo
	return known && len(a.lobbies) < maxLobbies && versions < maxVersions
}

// clean removes control characters from the texts of a lobby.
func clean(info *w3gs.GameInfo) {
	for _, text := range []*string{&info.Name, &info.Stat.HostName} {
		*text = strings.Map(func(r rune) rune {
			if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
				return -1
			}
			return r
		}, *text) // invalid UTF-8 is read as the replacement character
	}
	if strings.TrimSpace(info.Name) == "" {
		info.Name = "?"
	}
	info.Password = ""
}

// found returns the lobbies of an answer. Their address is the one that was queried, because the
// host's router may map the port that the answer names to another one.
func (a *answer) found(at netip.AddrPort, product w3gs.Product) (list []lan.Found) {
	for _, info := range a.lobbies {
		if info.Product == product {
			list = append(list, lan.Found{Info: info, From: at})
		}
	}
	slices.SortStableFunc(list, func(f, g lan.Found) int { return cmp.Compare(f.Info.GameID, g.Info.GameID) })
	return list
}
