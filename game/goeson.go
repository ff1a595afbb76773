package game

import (
	"cmp"
	"time"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
	"w3host/texts"
)

// A game that goes on from its record (Config.Record) begins with the table, the seed and the names of
// the recorded one. Each client loads, is shown the record as one that comes back is, as fast as it
// can run it, and then carries its player. The first to have seen it all begins the turns, which stand still
// until the others have seen it, too.

// forRecord completes the configuration of such a game, after that of a saved one.
func (c Config) forRecord(r *Restored) Config {
	c.Record, c.Saved = r.Record, nil
	c.Map.Path = r.MapPath
	c.Reconnect, c.Turns.LoadInGame = Reconnect{}, false // the record has its own empty turns
	l := &c.Lobby
	l.Layout, l.RandomSeed, l.FillPlaces, l.Admission.Anonymous = r.Table.Layout, r.Table.RandomSeed, true, false
	return c
}

// feeds reports whether clients may be shown the game so far.
func (m *Machine) feeds() bool { return m.cfg.Return.On || len(m.returns.coming) > 0 }

// recordedTurns prepares the turns of a game that goes on from its record. Players who had left by then, or have not
// come, take no part in them.
func (m *Machine) recordedTurns(cfg *gamesync.Config, fakes []lobby.Player) (in, missing []lobby.Player) {
	r := m.cfg.Record
	if r == nil {
		return fakes, nil
	}
	cfg.Played, cfg.PlayedFor, cfg.LoadTimeout = r.Turns, r.Length, 0
	for _, p := range fakes {
		switch {
		case r.Left.Has(p.PID):
			m.later(vanish{p.PID})
		case m.cfg.Lobby.Places[p.Slot].Fake:
			in = append(in, p)
		default:
			missing = append(missing, p)
		}
	}
	return in, missing
}

// seeTheRecord has all players see the record. Players who have not come leave behind it.
func (m *Machine) seeTheRecord(absent []lobby.Player) {
	r := m.cfg.Record
	if r == nil {
		return
	}
	m.returns.history.begin(r)
	for _, p := range absent {
		m.returns.history.left(p.PID, w3gs.LeaveDisconnect)
		fact := &LeftGame{Player: Player{PID: p.PID, Name: p.Name}, Reason: w3gs.LeaveDisconnect, Why: "did not come"}
		m.fact(fact)
		m.noteGone(fact)
		m.later(vanish{p.PID})
	}
	within := cmp.Or(m.cfg.Turns.LoadTimeout, mostLoading) + r.Length // a player slower than the game was cannot play it
	for _, s := range m.seats {
		if s == nil {
			continue
		}
		by := &returner{
			link: s.link, name: s.Name, s: s, pid: s.PID, addr: s.Addr, shared: s.shared, country: s.country,
			realm: s.realm, vouched: s.Realm != "", level: s.level,
			first: true, stage: loads, within: within, until: m.now + within, pingAt: m.now + pingReturner,
		}
		m.out.add(Op{Kind: Unseat, Link: s.link, PID: s.PID})
		s.link, s.missing = 0, &missing{since: m.now, by: by}
		m.returns.coming = append(m.returns.coming, by)
	}
}

// mostLoading is how long loading may take where the configuration sets no limit.
const mostLoading = 10 * time.Minute

// awaitOthers has the turns stand still that the first player to have seen the record has begun,
// until the others have seen it, too.
func (m *Machine) awaitOthers() {
	var others w3gs.PIDs
	var until time.Duration
	for _, r := range m.returns.coming {
		if r.first && r.s != nil {
			others, until = others|w3gs.Only(r.pid), max(until, r.until)
		}
	}
	if others != 0 {
		m.turns.Hold(m.playTime(), others, until-m.now+time.Second)
		m.say(m.present(), "The game goes on at %s when all have seen what was before. %cnowait: it goes on without waiting.", texts.Clock(m.cfg.Record.Length), m.cfg.Trigger)
	}
}
