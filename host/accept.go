package host

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/loop"
	"w3host/protocol/w3gs"
)

// turnedAway is what a connection reads that the gate does not let in.
var turnedAway = (&w3gs.RejectJoin{Reason: w3gs.RejectFull}).AppendTo(nil)

// arrive takes a new connection, if the gate lets it in.
func (h *Host) arrive(c *loop.Conn) {
	l := &link{Conn: c, shard: h.shard, person: new(person)}
	c.Handler = l
	if err := h.admit(c.Addr.Addr()); err != nil {
		l.refusal(zerolog.WarnLevel).AnErr("reason", err).Msg("connection refused")
		if err == errUnjoinedIP { // players who share an address are to know that it is not the line
			_, _ = c.Socket.Write(turnedAway)
		}
		c.Admit() // its end was logged
		c.Cut(err)
		return
	}
	l.stranger = true
	if h.shard.Stopping() {
		c.Cut(errHostStops)
		return
	}
	c.Await(h.opts.Limits.JoinTimeout, h.opts.Limits.OutQueue)
}

// admit has the gate count a stranger. When the room for strangers is full, another one
// makes room.
func (h *Host) admit(addr netip.Addr) error {
	err := h.gate.enter(addr)
	if err == errUnjoinedTotal {
		h.shard.makeRoom()
		err = h.gate.enter(addr)
	}
	return err
}

// welcome takes the first packet of a connection, which must be a join, and
// hands it to the game it is for.
func (h *Host) welcome(l *link, frame w3gs.Frame) error {
	if frame.Op() != w3gs.OpReqJoin {
		return errNotAJoin
	}
	join := new(w3gs.ReqJoin)
	if err := join.Decode(frame.Body()); err != nil {
		return err
	}
	g, code, refusal := h.route(l, join)
	l.Admit()
	if refusal != nil {
		l.refusal(zerolog.InfoLevel).Str("player", join.Name).Uint32("game", join.GameID).AnErr("reason", refusal).Msg("join refused")
		l.Queue((&w3gs.RejectJoin{Reason: code}).AppendTo(nil))
		l.Finish(refusal)
		return nil
	}
	l.meter = newMeter(h.opts.Limits.PacketRate, l.shard.Now())
	g.join(l, join)
	return nil
}

// route finds the game of a join: by its id, and with its key if it comes from
// the LAN.
func (h *Host) route(l *link, join *w3gs.ReqJoin) (*Game, w3gs.RejectReason, error) {
	if err := h.gate.join(l.Addr.Addr(), time.Now()); err != nil {
		return nil, w3gs.RejectInvalid, err
	}
	if wait := h.leaves.wait(time.Now(), h.visitor(join.Name, l.Addr.Addr())...); h.opts.Limits.LobbyLeaves > 0 && wait > 0 {
		return nil, w3gs.RejectInvalid, fmt.Errorf("joined and left lobbies too often: may join again in %v", wait.Round(time.Second))
	}
	g := h.Game(join.GameID)
	l.realm = h.opts.Realms.Realm(join.GameID)
	switch {
	case l.realm == "" && join.GameID&^gameIDMask != 0:
		return nil, w3gs.RejectInvalid, errForeignRealm
	case g == nil && h.wasOpened(join.GameID):
		return nil, w3gs.RejectStarted, errGameOver
	case g == nil:
		return nil, w3gs.RejectInvalid, errNoGame
	case !g.open.Load():
		return nil, w3gs.RejectStarted, errStarted
	case h.opts.RequireEntryKey && l.realm == "" && join.EntryKey != g.key && g.versionOf(join.EntryKey) == 0:
		return nil, w3gs.RejectWrongKey, errEntryKey
	}
	if err := h.crowded(g, l.Addr.Addr()); err != nil {
		return nil, w3gs.RejectFull, err
	}
	return g, 0, nil
}

// noteLeave counts that a player leaves a lobby by themselves: who joins and leaves
// again and again disturbs those who wait there.
func (g *Game) noteLeave(l *link) {
	if limits := &g.host.opts.Limits; g.open.Load() && limits.LobbyLeaves > 0 {
		g.host.leaves.spend(time.Now(), g.host.visitor(l.name, l.Addr.Addr())...)
	}
}

// visitor is the key of a name at an address, none in the networks of
// limits.exempt. Neither counts alone: anybody can use another player's name, and
// many players can share an address.
func (h *Host) visitor(name string, addr netip.Addr) []string {
	if h.gate.exempt(addr) {
		return nil
	}
	return []string{strings.ToLower(strings.TrimSpace(name)) + " " + addr.String()}
}

func (h *Host) wasOpened(id uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id &= gameIDMask
	return id > 0 && id <= h.lastID
}

// logUnjoined says why a connection ended that never joined.
func (l *link) logUnjoined() {
	e := l.log().Debug() // so does w3host health, every half minute
	if !errors.Is(l.Cause(), loop.ErrClientClosed) {
		e = l.refusal(zerolog.InfoLevel)
	}
	e.AnErr("reason", l.Cause()).Msg("connection closed before it joined")
}
