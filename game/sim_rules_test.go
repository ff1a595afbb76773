package game

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// ledger is what the referee knows of votes, fake players and lists.
type ledger struct {
	votes   Votes
	present w3gs.PIDs // humans who vote
	players w3gs.PIDs // who started
	fakes   w3gs.PIDs
	acted   [][]byte // of fake players, on the way to a turn
	start   map[int]string
	again   *Config
	remade  bool

	paused, voted int
}

func (r *ledger) fact(fact Fact) error {
	switch f := fact.(type) {
	case *Opened:
		r.votes = f.Config.Votes
	case *Joined:
		r.present |= w3gs.Only(f.PID)
	case *LeftLobby:
		r.present &^= w3gs.Only(f.PID)
	case *LeftGame:
		r.present &^= w3gs.Only(f.PID)
	case *Dropped:
		if strings.HasPrefix(f.Why, "kicked") {
			r.present &^= w3gs.Only(f.PID)
		}
	case *Commanded:
		return r.agreed(f)
	case *Listed:
		if r.start != nil || len(f.Name) > w3gs.MaxGameNameLen || f.Name == "" {
			return fmt.Errorf("listed as %q, started %v", f.Name, r.start != nil)
		}
	case *Started:
		r.start = map[int]string{}
		for _, p := range f.Players {
			r.players |= w3gs.Only(p.PID)
			r.start[p.Slot] = p.Name
		}
		for _, p := range f.Fakes {
			r.fakes |= w3gs.Only(p.PID)
			r.start[p.Slot] = p.Name
		}
	case *Acted:
		if r.fakes.Has(f.PID) {
			if !bytes.Equal(f.Data, []byte{actionPause}) && !bytes.Equal(f.Data, []byte{actionResume}) {
				return fmt.Errorf("fake player %d does % x", f.PID, f.Data)
			}
			r.paused++
			r.acted = append(r.acted, slices.Clone(f.Data))
		}
	case *Turned:
		for pid, data := range w3gs.Actions(f.Actions) {
			switch {
			case r.fakes.Has(pid) && len(r.acted) > 0 && bytes.Equal(r.acted[0], data):
				r.acted = r.acted[1:]
			case !r.players.Has(pid):
				return fmt.Errorf("turn %d has % x of pid %d", f.Number, data, pid)
			}
		}
	case *Over:
		r.remade = f.Remade
	}
	return nil
}

// agreed checks that enough have voted for what was decided.
func (r *ledger) agreed(f *Commanded) error {
	var yes, needed int
	if n, _ := fmt.Sscanf(f.Detail, "agreed: %d of %d needed", &yes, &needed); n != 2 {
		return nil
	}
	r.voted++
	asked := 1 // at least
	if f.Name == "votekick" {
		asked = r.present.Len() - 1
	}
	least := (asked*r.votes.Share + 99) / 100
	if yes < needed || needed < least || yes > r.present.Len() {
		return fmt.Errorf("%s has passed with %d of %d, where %d are there and %d were needed", f.Name, yes, needed, r.present.Len(), least)
	}
	return nil
}

// told checks whom a line of the host is for.
func told(to w3gs.PIDs, p *w3gs.ChatFromHost) error {
	private := strings.Contains(p.Text, " can use ") || strings.Contains(p.Text, "Too many commands")
	if _, who, ok := strings.Cut(p.Text, "secret of "); ok {
		pid, _ := strconv.Atoi(who)
		private = true
		if to != w3gs.Only(uint8(pid)) {
			return fmt.Errorf("%q is told to %b", p.Text, to)
		}
	}
	if private && to.Len() != 1 {
		return fmt.Errorf("%q is told to %b", p.Text, to)
	}
	return nil
}

// reopen checks the lobby of a game that is played again: everybody who comes back
// has the old place, in whatever order they come.
func (r *ledger) reopen(cfg *Config) error {
	if r.again != nil {
		return fmt.Errorf("opened again twice")
	}
	r.again = cfg
	c := cfg.Lobby
	c.Start.Humans, c.Start.Full = 0, false
	l := lobby.New(c, noSink{})
	for i, place := range slices.Backward(c.Places) {
		if place.Name == "" || place.Fake {
			continue
		}
		if r.start[i] != place.Name {
			return fmt.Errorf("the place %d of %q is kept for %q", i, r.start[i], place.Name)
		}
		l.Join(time.Second, lobby.Join{Conn: lobby.ConnID(i + 1), Req: w3gs.ReqJoin{Name: place.Name}, Realm: place.Realm, Vouched: place.Realm != ""})
	}
	for i, s := range l.SlotTable().Slots {
		was := c.Places[i].Slot
		if c.Places[i].Name == "" {
			if was.Computer != s.Computer || was.Status == w3gs.SlotClosed && s.Status != was.Status {
				return fmt.Errorf("slot %d is %+v and was %+v", i, s, was)
			}
			continue
		}
		p, _ := l.Player(s.PID)
		s.PID, was.PID, s.Download, was.Download = 0, 0, 0, 0
		if p.Name != c.Places[i].Name || s != was {
			return fmt.Errorf("slot %d holds %q and is %+v; it was %q and %+v", i, p.Name, s, c.Places[i].Name, was)
		}
	}
	return nil
}

// noSink hears nothing of a lobby.
type noSink struct{}

func (noSink) Send(w3gs.PIDs, w3gs.Packet)                     {}
func (noSink) Joined(*lobby.Join, uint8, int)                  {}
func (noSink) Rejected(*lobby.Join, w3gs.RejectReason, string) {}
func (noSink) NeedsMap(uint8, uint32)                          {}
func (noSink) Kicked(uint8, int, string, string)               {}
func (noSink) Left(uint8, w3gs.LeaveReason, bool)              {}
func (noSink) Said(lobby.Said)                                 {}
func (noSink) Flooded(uint8, time.Duration)                    {}
func (noSink) Fact(lobby.Fact)                                 {}
func (noSink) Started(lobby.Started)                           {}
func (noSink) Closed(string)                                   {}
