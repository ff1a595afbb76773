package lobby

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// TestRandom plays lobbies of random events: whatever happens, the table stays
// sound, each client's picture of the lobby is the lobby's, and the same events
// give the same bytes.
func TestRandom(t *testing.T) {
	for seed := range uint64(400) {
		data := make([]byte, 600)
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		first, err := playRandom(data)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if second, _ := playRandom(data); second != first {
			t.Fatalf("seed %d: the same events gave other effects", seed)
		}
	}
}

func FuzzLobby(f *testing.F) {
	f.Add([]byte("a lobby of two, who join, chat and leave"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := playRandom(data); err != nil {
			t.Fatal(err)
		}
	})
}

// choices turns bytes into decisions.
type choices []byte

func (c *choices) upTo(n int) int {
	if len(*c) == 0 || n <= 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

func (c *choices) yes() bool { return c.upTo(2) == 1 }

func (c *choices) config() Config {
	cfg := Defaults()
	cfg.Pace.TableEvery, cfg.Pace.SlotRequests = 0, 0 // so that the tables of clients are always those of the lobby
	kinds := []string{"melee", "forces", "fixed", "ladder"}
	n := 1 + c.upTo(6)
	observers := 0
	if c.yes() {
		observers = c.upTo(4)
		cfg.Observers = true
	}
	cfg.Slots, cfg.Layout = testSlots(kinds[c.upTo(4)], n, observers)
	cfg.PlayerSlots = uint8(n)
	if c.yes() {
		cfg.Wire.MaxPID = uint8(n + observers) // a full lobby takes the virtual host's pid
	}
	cfg.Wire.Version = []w3gs.Version{26, 32, w3gs.VersionThree}[c.upTo(2)]
	if c.yes() {
		cfg.Voice.VirtualHost = ""
	}
	if c.yes() {
		cfg.Start.Humans, cfg.Start.Full = c.upTo(3), c.yes()
		cfg.Start.Pings = c.upTo(2)
	}
	if c.yes() {
		cfg.Start.MinPlayers, cfg.Start.After, cfg.Countdown.GoesOn = c.upTo(4), time.Duration(c.upTo(3))*5*time.Second, c.yes()
		cfg.Admission.PingLimit = time.Duration(c.upTo(2)) * time.Second
		cfg.Close.Idle, cfg.Close.Abandoned = time.Duration(c.upTo(3))*20*time.Second, time.Duration(c.upTo(2))*5*time.Second
		cfg.Close.OwnerAFK = time.Duration(c.upTo(2)) * 15 * time.Second
	}
	if c.upTo(4) == 0 {
		var places []Place
		for i, s := range cfg.Slots {
			p := Place{Slot: s}
			switch c.upTo(5) {
			case 0:
			case 1:
				p.Slot.Status, p.Slot.Computer = w3gs.SlotOccupied, s.Team < w3gs.ObserverTeam
			default:
				p.Slot.Status = w3gs.SlotOccupied
			}
			if p.Slot.Status == w3gs.SlotOccupied && !p.Slot.Computer {
				p.Name, p.Fake, p.Slot.PID = fmt.Sprintf("p%d", i), c.upTo(4) == 0, uint8(len(cfg.Slots)-i)
			}
			places = append(places, p)
		}
		restore(&cfg, places)
	}
	cfg.Owner.Name, cfg.Admission.Reserved = "p1", []string{"p2"}
	cfg.MapCheck.Size = uint32(c.upTo(3) * 50)
	cfg.Voice.Welcome = []string{"hello"}
	return cfg
}

func (c *choices) pid() uint8 { return uint8(c.upTo(12)) }

func (c *choices) slot() int { return c.upTo(11) - 1 }

// call makes one call, and returns why it was refused.
func (c *choices) call(l *Lobby, now time.Duration, conn ConnID) error {
	switch c.upTo(37) {
	case 0, 1, 2, 3, 4, 5, 6:
		name := fmt.Sprintf("p%d", c.upTo(14))
		if c.upTo(5) == 0 {
			name = ""
		}
		l.Join(now, Join{Conn: conn, Req: w3gs.ReqJoin{Name: name}})
	case 7, 8, 9:
		l.Leave(now, c.pid(), w3gs.LeaveLobby, c.yes())
	case 10, 11, 12, 13:
		pid := c.pid()
		l.Chat(now, Chat{PID: pid, Line: w3gs.Chat{From: pid, Flag: w3gs.ChatTeam + w3gs.ChatFlag(c.upTo(4)), Value: uint8(c.upTo(128))}})
	case 14:
		pid := c.pid()
		l.Chat(now, Chat{PID: pid, Line: w3gs.Chat{From: pid, Flag: w3gs.ChatTeam, Value: uint8(c.upTo(14))}})
	case 15, 16:
		pid := c.pid()
		line := w3gs.Chat{From: pid, Flag: w3gs.ChatLobby, To: []uint8{c.pid(), c.pid(), c.pid()}, Text: "hi"}
		if c.yes() {
			line.Flag, line.Scope = w3gs.ChatGame, w3gs.ChatScope(c.upTo(16))
		}
		l.Chat(now, Chat{PID: pid, Line: line})
	case 17:
		l.MapReport(now, c.pid(), w3gs.MapSize{Flag: w3gs.MapFlag(c.upTo(4)), Size: uint32(c.upTo(130))})
	case 18:
		l.Progress(now, c.pid(), uint8(c.upTo(120)))
	case 19:
		l.Pong(now, c.pid(), uint32(1000*c.upTo(100)), 0)
	case 20, 21, 22:
		pid := c.pid()
		extras := []*w3gs.PlayerExtra{w3gs.NewSkins(pid), w3gs.NewPair(pid), w3gs.NewProfile(pid, "x"), w3gs.NewProfile(pid, "y")}
		l.Extra(now, pid, extras[c.upTo(4)])
	default:
		return l.Do(now, c.operation())
	}
	return nil
}

func (c *choices) operation() Operation {
	switch c.upTo(32) {
	case 0:
		return SetSlots{Slots: []int{c.slot(), c.slot()}}
	case 1:
		return SetSlots{Slots: []int{c.slot()}, Closed: true}
	case 2:
		return SetSlots{}
	case 3:
		return SetSlots{Closed: true}
	case 4, 5, 6:
		return Swap{A: c.slot(), B: c.slot()}
	case 7:
		return Shuffle{}
	case 8, 9:
		return Computer{Slot: c.slot(), AI: w3gs.AI(c.upTo(4))}
	case 10, 11:
		return Set{Slot: c.slot(), What: w3gs.ChatTeam, Value: uint8(c.upTo(14))}
	case 12:
		return Set{Slot: c.slot(), What: w3gs.ChatColour, Value: uint8(c.upTo(14))}
	case 13:
		return Set{Slot: c.slot(), What: w3gs.ChatRace, Value: uint8(c.upTo(128))}
	case 14:
		return Set{Slot: c.slot(), What: w3gs.ChatHandicap, Value: uint8(10 * c.upTo(12))}
	case 15:
		return Observe{PID: c.pid()}
	case 16:
		return Kick{PID: c.pid(), Why: texts.Plain("why"), CloseSlot: c.yes()}
	case 17:
		return FakePlayer{Count: c.upTo(3)}
	case 18:
		return DeleteFake{PID: c.pid()}
	case 19:
		return HCL{Text: "ab"[:c.upTo(3)]}
	case 20:
		return AutoStart{Players: c.upTo(5), Full: c.yes(), Hold: time.Duration(c.upTo(3)) * time.Second}
	case 21:
		return Say{To: w3gs.PIDs(c.upTo(256)), Text: texts.Plain("host")}
	case 22:
		return Hold{Names: []string{fmt.Sprintf("p%d", c.upTo(14))}}
	case 23:
		return MuteAll{Off: c.yes()}
	case 26:
		return SetTeams{Rule: TeamRule(c.upTo(4)), PID: c.pid()}
	case 27:
		return Computers{AI: w3gs.AI(c.upTo(4))}
	case 28:
		return DeleteComputers{}
	case 29:
		return LockJoins{Off: c.yes()}
	case 31:
		return Ignore{PID: c.pid(), Names: []string{fmt.Sprintf("p%d", c.upTo(14))}, Off: c.yes()}
	case 30:
		return FakePlayer{All: true}
	case 24:
		return Start{Force: c.upTo(4) == 0, Now: c.upTo(8) == 0}
	}
	return Abort{}
}

// playRandom runs a lobby on decisions taken from data and returns everything
// it said, as text.
func playRandom(data []byte) (log string, err error) {
	c := choices(data)
	w := &world{clients: map[uint8]*client{}}
	l := New(c.config(), w)
	w.l = l
	now := time.Duration(0)
	for conn := ConnID(1); len(c) > 0; conn++ {
		var no error
		if at, ok := l.Next(); ok && c.upTo(3) == 0 {
			now = max(now, at)
			l.Tick(now)
			if next, ok := l.Next(); ok && next <= now {
				return "", fmt.Errorf("Tick at %v leaves Next at %v", now, next)
			}
		} else {
			now += time.Duration(c.upTo(20)) * 50 * time.Millisecond
			no = c.call(l, now, conn)
		}
		w.log = fmt.Appendf(w.log, "%v", no)
		if err := cmp.Or(w.err, w.compare()); err != nil {
			return "", err
		}
		if list := faults(l); list != nil {
			return "", fmt.Errorf("%s", list[0])
		}
	}
	return string(w.log), nil
}
