package host

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

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
	l.state = joined
	l.shard.arriving.remove(l)
	if refusal != nil {
		l.refusal(zerolog.InfoLevel).Str("player", join.Name).Uint32("game", join.GameID).AnErr("reason", refusal).Msg("join refused")
		l.queue((&w3gs.RejectJoin{Reason: code}).AppendTo(nil))
		l.finish(refusal)
		return nil
	}
	l.meter = newMeter(h.opts.Limits.PacketRate, l.shard.now)
	g.join(l, join)
	return nil
}

// route finds the game of a join: by its id, and with its key if it comes from
// the LAN.
func (h *Host) route(l *link, join *w3gs.ReqJoin) (*Game, w3gs.RejectReason, error) {
	if err := h.gate.join(l.addr.Addr(), time.Now()); err != nil {
		return nil, w3gs.RejectInvalid, err
	}
	if wait := h.leaves.wait(time.Now(), h.visitor(join.Name, l.addr.Addr())...); h.opts.Limits.LobbyLeaves > 0 && wait > 0 {
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
	case h.opts.RequireEntryKey && l.realm == "" && join.EntryKey != g.key:
		return nil, w3gs.RejectWrongKey, errEntryKey
	}
	if err := h.crowded(g, l.addr.Addr()); err != nil {
		return nil, w3gs.RejectFull, err
	}
	return g, 0, nil
}

// noteLeave counts that a player leaves a lobby by themselves: who joins and leaves
// again and again disturbs those who wait there.
func (g *Game) noteLeave(l *link) {
	if limits := &g.host.opts.Limits; g.open.Load() && limits.LobbyLeaves > 0 {
		g.host.leaves.spend(time.Now(), g.host.visitor(l.name, l.addr.Addr())...)
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

// log is the host's log with the link's address.
func (l *link) log() *zerolog.Logger {
	log := l.shard.host.log.With().Stringer("addr", l.addr).Logger()
	return &log
}

// logUnjoined says why a connection ended that never joined.
func (l *link) logUnjoined() {
	e := l.log().Debug() // so does w3host health, every half minute
	if !errors.Is(l.cause, errClientClosed) {
		e = l.refusal(zerolog.InfoLevel)
	}
	e.AnErr("reason", l.cause).Msg("connection closed before it joined")
}
