package game

import (
	"math"
	"slices"
	"time"

	"w3host/past"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
	"w3host/texts"
)

// loaded begins to show the game.
func (m *Machine) loaded(r *returner) {
	m.toReturner(r, &w3gs.GameLoaded{PID: r.pid})
	for _, p := range slices.Concat(m.started.Fakes, m.started.Players) {
		if p.PID != r.pid && !(r.first && p.Fake) { // else the lobby has said so
			m.toReturner(r, &w3gs.GameLoaded{PID: p.PID})
		}
	}
	r.stage, r.began, r.heardAt, r.reportAt = catching, m.now, m.now, m.now+progressEvery
	r.window = past.NewWindow(m.now)
}

// answered takes the answer to the oldest turn that is on its way.
func (m *Machine) answered(r *returner, sum uint32) {
	if len(r.flying) == 0 {
		if r.stage != refused {
			m.endReturner(r, string(gamesync.WhyKeepaliveFlood))
		}
		return
	}
	t := r.flying[0]
	r.flying = r.flying[1:]
	r.bytes -= t.bytes
	r.acked++
	r.at += t.lasts
	r.heardAt = m.now
	r.window.Answered(m.now)
	r.sums = append(r.sums, sum)
}

// agrees compares a returner's answers with the hashes of turns that are settled.
func (m *Machine) agrees(r *returner) bool {
	known := m.returns.history.hashes
	for len(r.sums) > 0 {
		n := int(r.acked) - len(r.sums) // turns before the first of them
		if n >= len(known) {
			break
		}
		if r.sums[0] != known[n] && !m.returns.history.unknown[n] {
			return false
		}
		r.sums = r.sums[1:]
	}
	return true
}

// feed sends as much as a returner's answers allow.
func (m *Machine) feed(r *returner) {
	h := &m.returns.history
	for sent := 0; sent < past.MostBytes; {
		rest := h.rest(&r.reading)
		if len(rest) == 0 || len(r.flying) >= r.window.Turns || r.bytes >= past.MostBytes {
			return
		}
		n := 0
		for n < len(rest) && len(r.flying) < r.window.Turns && r.bytes < past.MostBytes {
			size, lasts := nextPacket(rest[n:])
			if lasts > 0 {
				r.flying = append(r.flying, sentTurn{size, lasts})
				r.bytes += size
			}
			n += size
		}
		m.out.add(Op{Kind: Reply, Link: r.link, Frame: rest[:n:n]})
		r.reading.at += n
		sent += n
	}
}

// caughtUp reports whether a returner has been sent all turns, and is as far as a player may be.
func (m *Machine) caughtUp(r *returner) bool {
	return len(m.returns.history.rest(&r.reading)) == 0 && r.acked+uint32(len(r.flying)) == m.turns.Turns() &&
		m.turns.Joinable(r.acked)
}

// handOver gives a returner the seat.
func (m *Machine) handOver(r *returner) {
	s := r.s
	away := m.now - s.missing.since
	m.returns.coming = slices.DeleteFunc(m.returns.coming, func(o *returner) bool { return o == r })
	s.missing, s.socket = nil, seatSocket{}
	if !r.first {
		s.returns++
	}
	s.link, s.Addr, s.shared, s.country = r.link, r.addr, r.shared, r.country
	s.heard, s.level = m.now, r.level
	if r.vouched {
		s.realm, s.Realm = r.realm, r.realm
	}
	m.out.add(Op{Kind: Seat, Link: s.link, PID: s.PID})
	begins := m.turns.Loading()
	if !r.first {
		m.fact(&LinkResumed{Player: s.Player, Away: away})
		m.lobby.Back(m.now, s.PID, away)
	}
	m.turns.Rejoin(m.playTime(), s.PID, r.acked, r.sums)
	if !r.first {
		m.say(0, "%s is back.", s.Name)
		return
	}
	m.say(w3gs.Only(s.PID), "That was what was played: what you do counts from here on.")
	if begins {
		m.awaitOthers()
	}
}

// tendReturns does the work that is due for returners.
func (m *Machine) tendReturns() {
	if m.turns == nil || !m.feeds() || m.Over() {
		return
	}
	m.giveUpPlaces()
	for _, r := range slices.Clone(m.returns.coming) {
		if !m.Over() {
			m.tend(r)
		}
	}
}

func (m *Machine) tend(r *returner) {
	switch {
	case r.stage == refused && m.now >= r.until:
		if !r.inGame {
			m.toReturner(r, &w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
		}
		m.endReturner(r, "was refused")
		return
	case r.s != nil && m.seats[r.pid] != r.s: // put out meanwhile
		_, gone := m.wanted(r.s.Name)
		if gone.Empty() {
			gone = texts.Of("%s has left the game.", r.s.Name)
		}
		m.refuse(r, gone)
	case r.stage != refused && m.now >= r.until && r.stage < loads:
		m.refuse(r, texts.Of("You have not shown in time that you are %s.", r.s.Name))
	case r.stage != refused && m.now >= r.until:
		m.refuse(r, texts.Of("You have not caught up within %v.", r.within.Round(time.Second)))
	case r.stage == catching:
		m.tendCatching(r)
	}
	if m.now >= r.pingAt && m.returnerOf(r.link) == r { // it has neither got the seat nor been put out
		r.pingAt = m.now + pingReturner
		m.toReturner(r, &w3gs.PingFromHost{Tick: uint32(m.now / time.Millisecond)})
	}
}

// tendCatching shows a returner more of the game, or gives it the seat.
func (m *Machine) tendCatching(r *returner) {
	switch {
	case m.returns.history.full:
		m.refuseForgotten(r)
	case !m.agrees(r):
		m.refuse(r, texts.Of("Your game came out differently at %s.", texts.Clock(r.at)))
	case len(r.flying) > 0 && m.now-r.heardAt >= unanswering:
		m.endReturner(r, "no turn was answered for too long")
	default:
		if m.feed(r); m.caughtUp(r) {
			m.handOver(r)
			return
		}
		if m.now >= r.reportAt {
			r.reportAt = m.now + progressEvery
			m.say(m.present(), "%s is at %s of %s%v.", r.s.Name, texts.Clock(r.at), texts.Clock(m.turns.GameTime()), m.remaining(r))
		}
	}
}

// remaining estimates how long a returner still takes, by how fast it has been so far.
func (m *Machine) remaining(r *returner) texts.Text {
	took := m.now - r.began
	gained := r.at
	if m.turns.Laggers() == 0 { // the others go on meanwhile
		gained -= took
	}
	if gained <= 0 {
		return texts.Text{}
	}
	left := time.Duration(float64(m.turns.GameTime()-r.at) / float64(gained) * float64(took))
	return texts.Of(", about %v to go", left.Round(time.Second))
}

// returnsDue is when something is due for returners; false: nothing is.
func (m *Machine) returnsDue() (at time.Duration, ok bool) {
	at = math.MaxInt64
	for pid := range m.returns.reported.All() {
		at = min(at, m.seats[pid].missing.until)
	}
	for _, r := range m.returns.coming {
		at = min(at, r.until, r.pingAt)
		if r.stage == catching {
			at = min(at, r.reportAt)
			if len(r.flying) > 0 {
				at = min(at, r.heardAt+unanswering)
			}
		}
	}
	return at, at != math.MaxInt64
}
