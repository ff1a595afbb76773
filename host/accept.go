package host

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// turnedAway is the answer to a connection that is refused.
var turnedAway = (&w3gs.RejectJoin{Reason: w3gs.RejectFull}).AppendTo(nil)

// arrive takes a new connection, or refuses it.
func (h *Host) arrive(c *loop.Conn) {
	l := &link{Conn: c, shard: h.shard, welcome: h.welcome, person: new(person)}
	c.Handler = l
	if err := h.admit(c.Addr.Addr()); err != nil {
		l.refusal(zerolog.WarnLevel).AnErr("reason", err).Msg("connection refused")
		if err == admission.ErrUnjoinedIP { // tells players who share an address that their line works
			_, _ = c.Socket.Write(turnedAway)
		}
		c.Admit() // its end was logged
		c.Cut(err)
		return
	}
	l.unjoined = true
	if h.shard.Stopping() {
		c.Cut(errHostStops)
		return
	}
	c.Await(h.shard.opts.Limits.JoinTimeout, h.shard.opts.Limits.OutQueue)
}

// admit counts a connection without a seat. At the total limit it closes another one first.
func (h *Host) admit(addr netip.Addr) error {
	err := h.shard.admission.Connect(addr)
	if err == admission.ErrUnjoinedTotal {
		h.makeRoom()
		err = h.shard.admission.Connect(addr)
	}
	return err
}

// makeRoom cuts the connection without a seat that has been closing for longest, or else the one that has been silent
// for longest. Closing ones go first: if all connections are refused ones, the only silent ones have just connected,
// and their joins are not read yet.
func (h *Host) makeRoom() {
	for c := range h.shard.Expiring(loop.Closing) {
		if l, ok := c.Handler.(*link); ok && l.unjoined {
			c.Cut(nil)
			return
		}
	}
	for c := range h.shard.Expiring(loop.Arriving) {
		c.Cut(errMadeRoom)
		return
	}
}

// welcome handles the first packet of a connection: a join, a reconnect, or a request for the list of lobbies.
func (h *Host) welcome(l *link, frame []byte) error {
	if frame[0] != gproxy.Magic {
		l.line.Got()
		return h.join(l, frame)
	}
	packet, _ := gproxy.Decode(frame)
	switch p := packet.(type) {
	case gproxy.Reconnect:
		return h.comeBack(l, &p)
	case gproxy.List:
		h.list(l, p)
		return nil
	}
	return errNotAJoin
}

// join passes a join to its game, or rejects it.
func (h *Host) join(l *link, frame w3gs.Frame) error {
	if frame.Op() != w3gs.OpReqJoin {
		return errNotAJoin
	}
	join := new(w3gs.ReqJoin)
	if err := join.Decode(frame.Body()); err != nil {
		return err
	}
	g, code, refusal := h.route(l, join)
	l.Admit()
	if refusal == nil && join.GameID&watchBit != 0 {
		g.watchedBy(l, join)
		return nil
	}
	if refusal != nil {
		l.refusal(zerolog.InfoLevel).Str("player", join.Name).Uint32("game", join.GameID).AnErr("reason", refusal).Msg("join refused")
		l.Queue((&w3gs.RejectJoin{Reason: code}).AppendTo(nil))
		l.Finish(refusal)
		return nil
	}
	l.packets = admission.NewPacketLimiter(h.shard.opts.Limits.PacketRate, l.shard.Now())
	g.join(l, join)
	return nil
}

// route returns the game of a join, or why it is rejected.
func (h *Host) route(l *link, join *w3gs.ReqJoin) (*Game, w3gs.RejectReason, error) {
	if err := h.shard.admission.Join(l.Addr.Addr(), time.Now()); err != nil {
		return nil, w3gs.RejectInvalid, err
	}
	if wait := h.shard.admission.LeaveDelay(join.Name, l.Addr.Addr(), time.Now()); wait > 0 {
		return nil, w3gs.RejectInvalid, fmt.Errorf("joined and left lobbies too often: may join again in %v", wait.Round(time.Second))
	}
	g, over := h.find(join.GameID)
	l.realm = h.shard.opts.Realms.Realm(join.GameID)
	l.name = join.Name
	switch {
	case join.GameID&watchBit != 0:
		return h.routeWatcher(l, join)
	case l.realm == "" && join.GameID&^registry.IDMask != 0:
		return nil, w3gs.RejectInvalid, errForeignRealm
	case over:
		return nil, w3gs.RejectStarted, errGameOver
	case g == nil || g.group == nil: // or it begins after this pass of the loop
		return nil, w3gs.RejectInvalid, errNoGame
	case !g.open.Load():
		return nil, w3gs.RejectStarted, errStarted
	case g.joinsSpent():
		return nil, w3gs.RejectFull, errJoinQuota
	case !g.welcomes():
		return nil, w3gs.RejectStarted, errClosed
	case h.shard.opts.RequireEntryKey && l.realm == "" && join.EntryKey != g.key && g.versionOf(join.EntryKey) == 0:
		return nil, w3gs.RejectWrongKey, errEntryKey
	}
	if err := h.shard.refuseSeat(g.id, l.Addr.Addr()); err != nil {
		return nil, w3gs.RejectFull, err
	}
	return g, 0, nil
}

// refuseSeat returns why nobody else from an address may join a lobby, or nil.
func (s *shard) refuseSeat(id uint32, addr netip.Addr) error {
	if s.admission.Exempt(addr) {
		return nil
	}
	return s.RefuseSeat(id, s.admission.CountSeats(addr))
}

// routeWatcher returns the game that a client wants to watch, or why it may not.
func (h *Host) routeWatcher(l *link, join *w3gs.ReqJoin) (*Game, w3gs.RejectReason, error) {
	g := h.Game(join.GameID &^ watchBit)
	switch why := l.banned(); {
	case join.GameID&^registry.IDMask != 0:
		return nil, w3gs.RejectInvalid, errForeignRealm
	case g == nil || g.onShow.show == nil:
		return nil, w3gs.RejectStarted, errNotShown
	case why != "":
		return nil, w3gs.RejectInvalid, errors.New("banned: " + why)
	}
	return g, 0, nil
}

// list sends the list of lobbies and closes the connection.
func (h *Host) list(l *link, ask gproxy.List) {
	l.Admit()
	addr := l.Addr.Addr()
	l.Queue(h.shard.list.Reply(addr, ask.Format, h.shard.admission.Exempt(addr), time.Now()))
	l.Finish(errListed)
}

// Reasons for closing a connection, for the log and for tests.
var (
	errMadeRoom     = errors.New("silent for longest when the room for connections that have not joined was full")
	errNotAJoin     = errors.New("first packet is neither a join (0x1E), nor a return (0xF8 2), nor the question for lobbies (0xF8 60)")
	errLedger       = errors.New("flood: so many bytes that the journal of the game would be full")
	errJoinQuota    = errors.New("so many have tried to join that the journal of the lobby would be full; some may join again in a moment")
	errListed       = errors.New("it has asked for the open lobbies")
	errBadCount     = errors.New("a count of the proxy that cannot be")
	errNoSuchSeat   = errors.New("no player with this id and key can come back")
	errComing       = errors.New("the game of a player who comes back may not be here yet")
	errWrongKeys    = errors.New("too many wrong keys from this address")
	errGuesses      = errors.New("too many wrong keys from everywhere, and the player was not at this address before")
	errReturnRate   = errors.New("this player has come back too often in a short time")
	errClosed       = errors.New("the lobby takes nobody: the host drains, or has lost its lease")
	errDisabled     = errors.New("no new lobbies are opened: enable allows them again")
	errHostStops    = errors.New("the host is stopping")
	errGameOver     = errors.New("the game is over")
	errNoGame       = errors.New("no game has this id")
	errStarted      = errors.New("the game has started")
	errNotShown     = errors.New("this game cannot be watched, or not yet")
	errForeignRealm = errors.New("the game id is of a realm that is not ours")
	errEntryKey     = errors.New("wrong entry key: not from this lobby's LAN announcement")
)
