package session

import (
	"fmt"
	"slices"
	"time"

	"w3host/realm/bncs"
)

// board is the state of listing games. A connection lists one game at a time, so games take turns.
type board struct {
	most    int // number of wanted games that take turns
	wanted  []*offer
	on      *offer        // the game that the connection lists, or nil
	looking bool          // waiting for the answer whether on's name is free
	asking  bool          // waiting for the answer to on's creation
	answer  time.Duration // deadline of either answer
	lookups int           // number of pending lookups by name
	hidden  bool          // on is full and hidden
	updates int           // number of pending answers to changes of state
	at      time.Duration // when on was created
	inChat  bool          // in the channel, or joining it
	said    time.Duration // when a game was last announced in the channel
}

// offer is a game that should be listed.
type offer struct {
	Listing
	changed time.Duration // when its stat string changed
	gone    bool          // started or closed
	said    bool          // announced in the channel
	shown   string        // stat string last sent to the realm
	last    time.Duration // when its turn ended
	retry   time.Duration // after a refusal: earliest time of the next attempt
	refused bool          // the refusal was reported
	unique  bool          // the realm had no other game with this name, not even a started one
}

const never = time.Duration(1<<63 - 1)

func (b *board) want(now time.Duration, g Listing) {
	if e := b.find(g.ID); e != nil {
		if e.Stat != g.Stat {
			e.changed = now
		}
		e.Listing = g
		return
	}
	at := len(b.wanted)
	for g.Asked && at > 0 && !b.wanted[at-1].Asked {
		at--
	}
	b.wanted = slices.Insert(b.wanted, at, &offer{Listing: g, last: -1})
}

// find returns a wanted game, or nil.
func (b *board) find(id uint32) *offer {
	for _, e := range b.wanted {
		if e.ID == id {
			return e
		}
	}
	return nil
}

func (b *board) unwant(id uint32) {
	b.wanted = slices.DeleteFunc(b.wanted, func(e *offer) bool {
		e.gone = e.ID == id
		return e.gone
	})
}

// reset forgets the current listing, since the realm drops it with the connection.
func (b *board) reset() {
	b.on, b.looking, b.asking, b.hidden, b.inChat, b.updates, b.lookups = nil, false, false, false, false, 0, 0
	for _, e := range b.wanted {
		e.retry = 0
	}
}

// candidate returns the game whose turn is next: among the first b.most, the one whose last turn is longest ago.
func (b *board) candidate(now time.Duration) (best *offer) {
	for _, e := range b.wanted[:min(b.most, len(b.wanted))] {
		if e != b.on && !e.Full && e.retry <= now && (best == nil || e.last < best.last) {
			best = e
		}
	}
	return best
}

// ends returns when the listed game's turn is over: 0 means now.
func (b *board) ends(now time.Duration) time.Duration {
	pushed := slices.Index(b.wanted, b.on) >= b.most // games opened by a person take its place
	switch other := b.candidate(now); {
	case b.on.gone, other != nil && (b.on.Full || pushed):
		return 0
	case b.on.Stat != b.on.shown && (other != nil || !b.on.Full):
		return max(b.at+refreshEvery, b.on.changed+settleAfter)
	case other != nil:
		return b.at + rotateEvery
	}
	return never
}

// next returns when something is due.
func (b *board) next(now time.Duration) time.Duration {
	if b.looking || b.asking {
		return b.answer
	}
	if b.on != nil {
		return b.ends(now)
	}
	at := never
	for _, e := range b.wanted {
		if e.retry > now {
			at = min(at, e.retry)
		}
	}
	return at
}

// manageBoard updates the listing on the realm.
func (m *Machine) manageBoard() {
	b := &m.board
	switch {
	case b.looking && b.on.gone:
		b.on, b.looking = nil, false
	case b.looking && m.now >= b.answer:
		b.lookups = 0
		m.create()
	}
	if b.asking && m.now >= b.answer {
		m.notListed(fmt.Sprintf("the realm does not answer; it may be slow, or the name exceeds %d bytes or the stat string %d", bncs.MaxGameName, bncs.MaxStat))
	}
	if b.looking || b.asking {
		return
	}
	if b.on != nil && m.now >= b.ends(m.now) {
		b.on.last = m.now
		m.release()
	}
	switch e := b.candidate(m.now); {
	case b.on != nil:
		m.showOrHide()
	case e != nil:
		m.request(e)
	case !b.inChat && m.cfg.Channel != "":
		b.inChat = true
		m.send(&bncs.JoinChannel{Flag: bncs.ChannelCreate, Channel: m.cfg.Channel})
	}
}

// request asks the realm whether a game with this name exists, even a started one. An open one would cause a refusal.
// With two games of the same name, the realm's answer that a player is in that game would prove nothing. A started game
// does not revoke an earlier result, because it may be a remainder of the game's own earlier turns.
func (m *Machine) request(e *offer) {
	b := &m.board
	b.on, b.looking, b.hidden = e, true, false
	b.at, b.answer = m.now, m.now+listedWithin
	m.lookUp(e.Name)
}

func (m *Machine) lookUp(name string) {
	m.board.lookups++
	m.send(&bncs.ListGames{Name: name})
}

// create lists the game. The account leaves its channel by this.
func (m *Machine) create() {
	b := &m.board
	e := b.on
	m.announce(e)
	b.looking, b.asking, b.inChat = false, true, false
	b.at, b.answer, e.shown = m.now, m.now+listedWithin, e.Stat
	state := bncs.StatePublic
	if e.Private {
		state = bncs.StatePrivate
	}
	m.send(&bncs.GamePort{Port: m.cfg.Port}, &bncs.Advertise{State: state, Name: e.Name, Stat: e.Stat, Saved: e.Saved})
}

// announce announces a new game in the channel, which the account is about to leave.
func (m *Machine) announce(e *offer) {
	b := &m.board
	if !m.cfg.Announce || !b.inChat || e.said || e.Private || b.said > 0 && m.now-b.said < announceEvery {
		return
	}
	e.said, b.said = true, max(m.now, 1)
	if text := "New game: " + e.Name; m.quota.allows(m.now, cost(text), false, otherUnits) {
		m.quota.spend(m.now, cost(text), false)
		m.send(&bncs.Chat{Text: text})
	}
}

// release removes the listed game: 0x02 hides it at once, so that it does not pass to a player who has announced the
// join to the realm; 0x1F allows another game.
func (m *Machine) release() {
	m.board.on, m.board.hidden = nil, false
	m.send(bncs.Empty(bncs.IDStopAdvert), bncs.Empty(bncs.IDLeaveGame))
}

// showOrHide hides the listed game while it is full.
func (m *Machine) showOrHide() {
	b := &m.board
	if b.on.Full == b.hidden || b.on.Private {
		return
	}
	b.hidden = b.on.Full
	state := bncs.StatePublic
	if b.hidden {
		state = bncs.StateFull
	}
	b.updates++
	m.send(&bncs.Advertise{State: state, Name: b.on.Name, Stat: b.on.shown, Saved: b.on.Saved})
}

// advertised handles the answer to a 0x1C. The answer to a change of state is always positive and ignored.
func (m *Machine) advertised(p *bncs.AdvertiseReply) {
	b := &m.board
	switch {
	case b.updates > 0:
		b.updates--
	case !b.asking:
	case p.Result != 0:
		b.on.unique = false
		m.notListed(nameTaken)
	default:
		b.asking, b.on.refused = false, false
		m.emit(Listed{b.on.ID, b.on.Name})
		m.lookUp(b.on.Name)
	}
}

// nameTaken is the reason for a game that is not listed.
const nameTaken = "refused: the realm already has a lobby with this name, or the account may not list games"

// notListed gives up on the current game until a later attempt. It reports a reason only once.
func (m *Machine) notListed(why string) {
	b := &m.board
	e := b.on
	e.retry, e.last = m.now+retryGame, m.now
	if b.looking {
		e.retry = m.now + retryName
	}
	if !e.refused {
		e.refused = true
		m.emit(NotListed{e.ID, e.Name, why})
	}
	if b.asking { // the request may still succeed
		m.send(bncs.Empty(bncs.IDStopAdvert), bncs.Empty(bncs.IDLeaveGame))
	}
	b.on, b.looking, b.asking = nil, false, false
}

// found handles the realm's answer about a name: whether it is free or, for the listed game, the address at which
// players join.
func (m *Machine) found(p *bncs.GameList) {
	b := &m.board
	if b.lookups = max(b.lookups-1, 0); b.on == nil {
		return
	}
	switch {
	case b.looking && b.lookups > 0: // an answer to an earlier lookup
	case b.looking && (len(p.Games) > 0 || p.Status == bncs.StatusFull):
		b.on.unique = false
		m.notListed(nameTaken)
	case b.looking:
		b.on.unique = b.on.unique || p.Status == bncs.StatusNotFound
		m.create()
	default:
		for _, g := range p.Games {
			if g.Name == b.on.Name {
				m.emit(ListedAt{b.on.ID, b.on.Name, g.Addr})
			}
		}
	}
}
