package session

import (
	"fmt"
	"slices"
	"time"

	"w3host/realm/bncs"
)

// board is which games are to be listed, and which one is. A connection lists one
// at a time.
type board struct {
	most    int // of wanted take turns
	wanted  []*offer
	on      *offer        // the game that the connection lists
	looking bool          // the answer is awaited to whether on's name is free
	asking  bool          // the answer to on's creation is awaited
	answer  time.Duration // either counts as given then
	lookups int           // expected answers to look-ups by name
	hidden  bool          // on is full, and not shown
	updates int           // answers to changes of state that are to come
	at      time.Duration // on was created then
	inChat  bool          // in the channel, or on the way
	said    time.Duration // when a game was announced last
}

// offer is a game that the host wants to be listed.
type offer struct {
	Listing
	changed time.Duration // its stat string
	gone    bool          // started or closed
	said    bool          // announced
	shown   string        // the stat string that the realm has
	last    time.Duration // when its turn ended
	retry   time.Duration // it was refused: not before
	refused bool          // and that was said
	unique  bool          // the realm had no other game of this name, not even one that has started
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

// reset forgets the listing: the realm drops it with the connection.
func (b *board) reset() {
	b.on, b.looking, b.asking, b.hidden, b.inChat, b.updates, b.lookups = nil, false, false, false, false, 0, 0
	for _, e := range b.wanted {
		e.retry = 0
	}
}

// candidate is the game whose turn it is: that whose last turn is longest ago,
// of the first b.most.
func (b *board) candidate(now time.Duration) (best *offer) {
	for _, e := range b.wanted[:min(b.most, len(b.wanted))] {
		if e != b.on && !e.Full && e.retry <= now && (best == nil || e.last < best.last) {
			best = e
		}
	}
	return best
}

// ends says when the listed game's turn is over: now, later or never.
func (b *board) ends(now time.Duration) time.Duration {
	pushed := slices.Index(b.wanted, b.on) >= b.most // games that somebody has asked for have its place
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

// next is when something is due.
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

// manageBoard brings the realm's listing up to date.
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
		m.notListed(fmt.Sprintf("the realm does not answer: it takes names of up to %d bytes and stat strings of up to %d, or is slow", bncs.MaxGameName, bncs.MaxStat))
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

// request asks the realm whether a game of this name exists, even one that has started. One
// that still takes players would have ours refused. And if there are two of a name, the
// realm's word that somebody is in the game of that name proves nothing. A started one
// does not change what an earlier look has found: it may be left of our own earlier turns,
// with their players.
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

// create lists the game. It takes the account out of its channel.
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

// announce says a new game in the channel, which the account is about to leave.
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

// release gives the listed game up: 0x02 hides it at once, so that it does not
// pass to a player who told the realm of the join; 0x1F makes room for another.
func (m *Machine) release() {
	m.board.on, m.board.hidden = nil, false
	m.send(bncs.Empty(bncs.IDStopAdvert), bncs.Empty(bncs.IDLeaveGame))
}

// showOrHide keeps a full game off the list.
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

// advertised takes the answer to an 0x1C. That to a change of state is always yes
// and ignored.
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

// nameTaken is why a game is not listed.
const nameTaken = "refused: the realm has a lobby of this name already, or the account may not list games"

// notListed gives the listed game up until it is tried again. Reasons are reported once.
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
	if b.asking { // it may come through after all
		m.send(bncs.Empty(bncs.IDStopAdvert), bncs.Empty(bncs.IDLeaveGame))
	}
	b.on, b.looking, b.asking = nil, false, false
}

// found takes the realm's answer about a name: whether it is free, or, once the game is
// listed, where players join it.
func (m *Machine) found(p *bncs.GameList) {
	b := &m.board
	if b.lookups = max(b.lookups-1, 0); b.on == nil {
		return
	}
	switch {
	case b.looking && b.lookups > 0: // an earlier one
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
