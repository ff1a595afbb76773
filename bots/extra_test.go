package bots

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// toLobby132 joins the lobby of a host of 1.32 in which player 2 is, and the virtual host 12.
func (r *rig) toLobby132() *rig {
	r.t.Helper()
	table := r.table()
	table.Slots[2] = w3gs.Slot{Colour: 24, AI: w3gs.AINormal, Handicap: 100}
	r.hear(
		&w3gs.SlotInfoJoin{SlotTable: table, PID: 1},
		&w3gs.PlayerInfo{PID: 12, Name: "host", Extra: []byte{0, 0}},
		&w3gs.PlayerInfo{PID: 2, Name: "fifteen_letters#12345", Extra: []byte{0, 0}},
		&w3gs.MapCheck{Path: `Maps/x.w3x`, Size: 3000, CRC32: crcOf(rigMap), HasSHA1: true},
	)
	return r
}

// meet echoes what the bot says until it says no more.
func (r *rig) meet() (said []w3gs.ExtraKind) {
	for {
		n := len(said)
		for _, p := range r.said() {
			if e, ok := p.(*w3gs.PlayerExtra); ok {
				said = append(said, e.Kind)
				r.hear(e)
			}
		}
		if len(said) == n {
			return said
		}
	}
}

func (r *rig) others() *rig {
	for _, pid := range []uint8{2, 12} {
		r.hear(w3gs.NewSkins(pid), w3gs.NewProfile(pid, "x"))
	}
	return r
}

// A client says its skins, a pair and as many profiles as there are players, each after an
// echo, and is ready when it knows the others'.
func TestExtras(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Version: 32}).toLobby132()
	if got, want := string(kinds(r.meet())), "\x04\x05\x03\x03\x03"; got != want {
		t.Errorf("said %x, want %x", got, want)
	}
	if r.ready {
		t.Error("ready before it knows the others")
	}
	r.others()
	if !r.ready {
		t.Error("not ready")
	}
	r.pass(time.Minute)
	r.fine()
}

func kinds(list []w3gs.ExtraKind) (b []byte) {
	for _, k := range list {
		b = append(b, byte(k))
	}
	return b
}

func TestFaultsOfHostsOf132(t *testing.T) {
	t.Parallel()
	has := &w3gs.MapCheck{Path: `Maps/x.w3x`, Size: 3000, CRC32: crcOf(rigMap), Checksum: 1, HasSHA1: true}
	for _, test := range []struct {
		name string
		do   func(*rig)
		want string
	}{
		{"no echo", func(r *rig) { r.others().pass(metWithin) }, "1 of the bot's 0x59 have not come back"},
		{"a profile is missing", func(r *rig) {
			r.meet()
			r.hear(w3gs.NewSkins(2), w3gs.NewSkins(12), w3gs.NewProfile(2, "x"))
			r.pass(metWithin)
		}, "skins of [1 2 12] and profiles of [1 2]"},
		{"another echo", func(r *rig) { r.hear(w3gs.NewProfile(1, "else")) }, "which has not said it"},
		{"of nobody", func(r *rig) { r.hear(w3gs.NewSkins(9)) }, "about player 9, who is not there"},
		{"start without", func(r *rig) {
			r.hear(&w3gs.SlotInfo{SlotTable: r.player.table}, &w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: 12}, &w3gs.CountdownEnd{})
		}, "have not come back"},
		{"0x06 of old", func(r *rig) { r.hear(&w3gs.PlayerInfo{PID: 3, Name: "x", Extra: []byte{0}}) }, "1 bytes behind the name"},
		{"a line twice", func(r *rig) {
			r.meet()
			r.others().pass(time.Second)
			line := only[*w3gs.ChatToHost](r)
			line.To = append(line.To, 1)
			r.hear(&w3gs.ChatFromHost{Chat: line.Chat})
			r.fine()
			r.hear(&w3gs.ChatFromHost{Chat: line.Chat})
		}, "more than once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, Options{Version: 32}).toLobby132()
			test.do(r)
			r.complains(test.want)
		})
	}
	r := newRig(t, Options{Version: 32, Map: has}).toLobby132()
	r.complains("not the map that the bot has")
	if r.outcome != OutcomeBroken {
		t.Errorf("it ended with %q", r.outcome)
	}
}

// TestSlowStart: a slow client goes to the score screen when 0x0B comes within 5 s of 0x0A, and loads when it comes later.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	start := func(wait time.Duration) *rig {
		r := newRig(t, Options{Version: 32, SlowStart: true}).toLobby132()
		r.meet()
		r.others()
		r.hear(&w3gs.SlotInfo{SlotTable: r.player.table}, &w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: 12})
		r.pass(wait)
		r.hear(&w3gs.CountdownEnd{})
		return r
	}
	start(6 * time.Second).fine()
	r := start(4 * time.Second)
	r.complains("a slow client goes to the score screen")
	if r.outcome != OutcomeBroken {
		t.Errorf("it ended with %q", r.outcome)
	}
}
