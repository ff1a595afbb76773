package host

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/w3gs"
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
	g, refusal := h.route(l, join)
	l.state = joined
	h.gate.leave(l.addr.Addr())
	if refusal != nil {
		l.log().Info().Str("player", join.Name).Uint32("game", join.GameID).AnErr("reason", refusal).Msg("join refused")
		l.queue((&w3gs.RejectJoin{Reason: refusal.code}).AppendTo(nil))
		l.finish(refusal)
		return nil
	}
	l.meter = newMeter(h.opts.Limits.PacketRate, l.shard.now)
	g.join(l, join)
	return nil
}

// route finds the game of a join: by its id, and with its key if it comes from
// the LAN.
func (h *Host) route(l *link, join *w3gs.ReqJoin) (*Game, *refusal) {
	if err := h.gate.join(l.addr.Addr(), time.Now()); err != nil {
		return nil, refuse(w3gs.RejectInvalid, err.Error())
	}
	if wait := h.leaves.wait(time.Now(), h.visitor(join.Name, l.addr.Addr())...); h.opts.Limits.LobbyLeaves > 0 && wait > 0 {
		return nil, refuse(w3gs.RejectInvalid, fmt.Sprintf("joined and left lobbies too often: may join again in %v", wait.Round(time.Second)))
	}
	g := h.Game(join.GameID)
	l.realm = h.opts.Realms.Realm(join.GameID)
	switch {
	case l.realm == "" && join.GameID&^gameIDMask != 0:
		return nil, refuse(w3gs.RejectInvalid, "the game id is of a realm that is not ours")
	case g == nil && h.wasOpened(join.GameID):
		return nil, refuse(w3gs.RejectStarted, "the game is over")
	case g == nil:
		return nil, refuse(w3gs.RejectInvalid, "no game has this id")
	case !g.open.Load():
		return nil, refuse(w3gs.RejectStarted, "the game has started")
	case h.opts.RequireEntryKey && l.realm == "" && join.EntryKey != g.key:
		return nil, refuse(w3gs.RejectWrongKey, "wrong entry key: not from this lobby's LAN announcement")
	}
	return g, nil
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

// refusal is why a join is not passed to a lobby.
type refusal struct {
	code w3gs.RejectReason
	why  string
}

func refuse(code w3gs.RejectReason, why string) *refusal { return &refusal{code, why} }

func (r *refusal) Error() string { return r.why }

// log is the host's log with the link's address.
func (l *link) log() *zerolog.Logger {
	log := l.shard.host.log.With().Stringer("addr", l.addr).Logger()
	return &log
}

// logUnjoined says why a connection ended that never joined.
func (l *link) logUnjoined() {
	if errors.Is(l.cause, errClientClosed) { // so does w3host health, every half minute
		l.log().Debug().Msg("connection closed before it joined")
		return
	}
	l.log().Info().AnErr("reason", l.cause).Msg("connection closed before it joined")
}
