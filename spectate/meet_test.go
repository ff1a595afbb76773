package spectate

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// joinReforged joins a game of a version from 1.32 on.
func joinReforged(t *testing.T, v w3gs.Version) *viewer {
	tape := record(t, 100)
	tape.Version = v
	tape.readProfiles(&replay.Start{Players: []replay.Player{{PID: 3, Name: "Watchers"}}})
	tape.End()
	return join(t, tape, Options{Speed: Max})
}

// ops empties the list of packets that a client has got.
func (v *viewer) ops() string {
	list := fmt.Sprintf("%X", []uint8(opcodes(v.lobby)))
	v.lobby = nil
	return list
}

func opcodes(ops []w3gs.Op) (list []uint8) {
	for _, op := range ops {
		list = append(list, uint8(op))
	}
	return list
}

// TestGreetingReforged: from 1.32 on a client gets the table and all profiles at the join, its own 0x59 back, and 0x0B 6 s behind
// 0x0A; all others have loaded at once.
func TestGreetingReforged(t *testing.T) {
	for v, profiles := range map[w3gs.Version]int{32: 3, 36: 3, w3gs.VersionTwo: 3, w3gs.VersionThree: 0} {
		v, c := v, joinReforged(t, v)
		name := v.String()
		want := func(when, packets string) {
			t.Helper()
			if got := c.ops(); got != packets {
				t.Errorf("%s: %s: got %s, want %s", name, when, got, packets)
			}
		}
		want("join", "0409060659595959593D")
		c.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
		c.send(w3gs.NewSkins(3))
		c.send(w3gs.NewPair(1)) // about somebody else
		want("its skins", "59")
		for range profiles {
			c.send(w3gs.NewProfile(3, "Eve#1234"))
		}
		c.send(w3gs.NewPair(3))
		want("its pair", fmt.Sprintf("%X", append(make59(profiles+1), 0x09, 0x09, 0x0A)))
		c.run(5 * time.Second) // to a ping
		c.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLost})
		if got := c.ops(); got != "" || c.over {
			t.Errorf("%s: within the countdown: got %s, over %v", name, got, c.over)
		}
		c.run(6 * time.Second)
		want("the start", "0B0808")
		c.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLost})
		c.send(&w3gs.LoadedSelf{})
		want("loaded", "08")
		c.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLost})
		if !errors.Is(c.ended, ErrLeft) {
			t.Errorf("%s: a leave in the game: %v", name, c.ended)
		}
	}
}

func make59(n int) (list []uint8) {
	for range n {
		list = append(list, 0x59)
	}
	return list
}

// TestSilentGreeting: a client that sends no 0x59 is not waited for.
func TestSilentGreeting(t *testing.T) {
	c := joinReforged(t, 36)
	c.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
	c.ops()
	c.run(meetFor + 6*time.Second + 10*time.Millisecond)
	if got := c.ops(); got != "09090A0B0808" {
		t.Errorf("got %s", got)
	}
}
