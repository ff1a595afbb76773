package host

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/internal/testkit"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// TestWhoMayCommand: the owner is obeyed, others are told that they are not, and
// the answers are for the one who asked.
func TestWhoMayCommand(t *testing.T) { inBubble(t, testWhoMayCommand) }

func testWhoMayCommand(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(4)
	owner, guest := r.join(g, "Alice", nil), r.join(g, "Albert", nil)
	if line := owner.UntilText(""); line != "You own this lobby: !help lists your commands." {
		t.Errorf("the owner reads %q", line)
	}

	for _, tc := range []struct {
		who          *client
		line, answer string
		refused      string // as recorded; "-" for no record
	}{
		{guest, "!start", "Only the owner can use start.", "-"},
		{guest, "!nonsense", "", "-"}, // players begin lines with all sorts of signs
		{guest, "!owner", "The owner is Alice.", "-"},
		{guest, "!owner Albert", "Only the owner can use owner.", "-"},
		{guest, "!version", "w3host test", "-"},
		{guest, "!latency 100", "Only the owner can use latency.", "-"},
		{owner, "!nonsense", `there is no command "nonsense". Type help for a list`, "-"},
		{owner, "!latency 5", `The number of milliseconds must be from 20 to 500. Usage: latency [20-500]`, "-"},
		{owner, "!drop", "The command drop works only in the game.", "-"},
		{owner, "!kick al", `"al" could be Alice or Albert: type more of the name.`, `"al" could be Alice or Albert: type more of the name`},
		{owner, "!kick zoe", `No player matches "zoe".`, `no player matches "zoe"`},
		{owner, "!swap 1 9", "The slot must be from 1 to 4.", "the slot must be from 1 to 4"},
		{owner, "!help kick", "!kick <player> [reason]: remove a player", "-"},
		{owner, "!latency", "The latency is 50 ms.", ""},
		{guest, "!help", "Commands come in groups: ", "-"}, // several lines: nobody whispers to the guest behind them
		{owner, "!latency 80", "The latency is now 80 ms.", ""},
	} {
		before := len(recordsOf[storage.AdminAction](r))
		other := owner
		if tc.who == owner {
			other = guest
		}
		heard := other.Count(0x0F)
		typed(g, tc.who, tc.line)
		if tc.answer == "" {
			typed(g, tc.who, "!version")
			if line := tc.who.UntilText(""); line != "w3host test" {
				t.Errorf("%s: answered %q", tc.line, line)
			}
			continue
		}
		if line := tc.who.UntilText(""); !strings.HasPrefix(line, tc.answer) {
			t.Errorf("%s: answered %q, want %q", tc.line, line, tc.answer)
		}
		if toAll := strings.HasPrefix(tc.answer, "The latency is now"); !toAll && other.Count(0x0F) != heard {
			t.Errorf("%s: the others heard the answer", tc.line)
		}
		ask(t, g, func(*Game) bool { return true }) // what follows the answer is done by now
		records := recordsOf[storage.AdminAction](r)[before:]
		if tc.refused == "-" {
			if len(records) > 0 {
				t.Errorf("%s: recorded %+v", tc.line, records)
			}
			continue
		}
		action, detail, _ := strings.Cut(tc.line[1:], " ")
		if len(records) != 1 || records[0].Who != tc.who.Name || records[0].Via != "lobby" ||
			records[0].Action != action || records[0].Detail != detail || records[0].Refused != tc.refused {
			t.Errorf("%s: recorded %+v", tc.line, records)
		}
	}
}

// TestTheNextOwner: when the owner goes, the lobby goes to whoever has been there
// longest; an empty lobby to the first who comes.
func TestTheNextOwner(t *testing.T) { inBubble(t, testTheNextOwner) }

func testTheNextOwner(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Lobby.SetOwner(lobby.OwnerFirst) })
	g := r.lobby(4)
	first, second, third := r.join(g, "First", nil), r.join(g, "Second", nil), r.join(g, "Third", nil)
	first.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLobby}).AppendTo(nil))
	if line := third.UntilText("is now the owner"); line != "Second is now the owner." {
		t.Errorf("heard %q", line)
	}
	typed(g, second, "!kick third")
	if err := third.Ended(); err != io.EOF {
		t.Errorf("the next owner is not obeyed: %v", err)
	}
	second.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLobby}).AppendTo(nil))
	r.logged("player left")
	testkit.Eventually(t, "an empty lobby", func() bool { return order(t, g, "ping") == "" })
	r.join(g, "Fourth", nil)
	if owner := order(t, g, "owner"); owner != "The owner is Fourth." {
		t.Errorf("an empty lobby went to %q", owner)
	}
}

// typed is a line of chat that the lobby has relayed. It comes without the
// chat, which mutes whoever says five lines in five seconds.
func typed(g *Game, c *client, line string) {
	g.call(func() {
		g.step(&game.Input{Kind: game.Command, Caller: &command.Caller{PID: c.PID}, Line: line[1:]})
	})
}

// TestLatencyCommand takes effect on a turn boundary of the running game.
func TestLatencyCommand(t *testing.T) { inBubble(t, testLatencyCommand) }

func testLatencyCommand(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Turns.Period = 150 * time.Millisecond })
	_, players := r.play(2)
	increment := func(b []byte) int { return int(b[4]) | int(b[5])<<8 }
	players[0].SayInGame("!latency 50", players[1].PID)
	for _, c := range players {
		b := c.Until(0x0C)
		for n := 0; increment(b) == 150; n++ {
			if b = c.Until(0x0C); n == 20 {
				t.Fatalf("%s: the change does not come", c.Name)
			}
		}
		begin := c.All()[c.Cursor-1].At
		for range 20 {
			if got := increment(b); got != 50 {
				t.Fatalf("%s: a turn of %d ms after the change", c.Name, got)
			}
			b = c.Until(0x0C)
		}
		if took := c.All()[c.Cursor-1].At.Sub(begin); took < 600*time.Millisecond || took > 2*time.Second {
			t.Errorf("%s: 20 turns took %v, want 1s", c.Name, took)
		}
	}
	checkSameStream(t, players)
	line := r.logged("latency changed")
	if line["period"] != 50. || line["adaptive"] != false {
		t.Errorf("logged %v", line)
	}
	if a := recorded[storage.AdminAction](r); a.Via != "game" || a.Action != "latency" || a.Refused != "" {
		t.Errorf("recorded %+v", a)
	}
}

// TestCommandsInTheGame: kick, mute and end.
func TestCommandsInTheGame(t *testing.T) { inBubble(t, testCommandsInTheGame) }

func testCommandsInTheGame(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(4)
	clients := []*client{r.join(g, "Owner", player), r.join(g, "Loud", player), r.join(g, "Third", player)}
	owner, loud, third := clients[0], clients[1], clients[2]
	typed(g, owner, "!fakeplayer")
	r.begin(clients...)
	for _, c := range clients {
		c.Until(0x0C)
	}

	// The fake player pauses: its pid, one byte, action 1.
	for i, line := range []string{"!pause", "!resume"} {
		typed(g, owner, line)
		for _, c := range clients {
			b := c.Until(0x0C)
			for len(b) == 6 {
				b = c.Until(0x0C)
			}
			if !bytes.Equal(b[8:], []byte{5, 1, 0, byte(1 + i)}) {
				t.Errorf("%s: %s read % X", line, c.Name, b)
			}
		}
	}
	typed(g, owner, "!kick fake")
	if line := owner.UntilText("fake"); !strings.Contains(line, "fake player") {
		t.Errorf("answered %q", line)
	}
	typed(g, owner, "!mute loud")
	for _, c := range clients {
		c.UntilText("Loud is muted.")
	}
	loud.SayInGame("can you hear me", owner.PID, third.PID)
	testkit.Eventually(t, "the muted line", func() bool { return strings.Contains(r.log.String(), `"muted":true`) })
	typed(g, owner, "!drop")
	if line := owner.UntilText("lag screen"); line != "[Host] Nobody is on the lag screen." {
		t.Errorf("answered %q", line)
	}
	typed(g, owner, "!kick loud shouting")
	// For Loud alone: to 1 pid, from the fake player, scope 3 and colour 1.
	if b := loud.UntilChat("You were kicked"); !matches("01 03 05 20 04 00 00 00", b[4:12]) {
		t.Errorf("the victim got % X", b)
	}
	wantFIN(t, loud)
	if line := third.UntilText("kicked"); line != "[Host] Loud was kicked: shouting" {
		t.Errorf("read %q", line)
	}
	if b := third.Until(0x07); b[4] != loud.PID {
		t.Errorf("got %X", b)
	}
	if left := recorded[storage.PlayerLeft](r); left.PID != loud.PID || left.Reason != "kicked: shouting" {
		t.Errorf("recorded %+v", left)
	}
	if drop := recorded[storage.DropEvent](r); drop.PID != loud.PID || drop.Reason != "kicked: shouting" || drop.By != "Owner" {
		t.Errorf("recorded %+v", drop)
	}
	if a := recorded[storage.AdminAction](r); a.Action != "kick" || a.On != "Loud" || a.Detail != "loud shouting" || a.Via != "game" {
		t.Errorf("recorded %+v", a)
	}
	if line := r.logged("player left the game"); line["player"] != "Loud" || line["reason"] != "kicked: shouting" {
		t.Errorf("logged %v", line)
	}
	typed(g, owner, "!end")
	for _, c := range []*client{owner, third} {
		c.UntilText("The game was ended by its owner.")
		wantFIN(t, c)
	}
	if end := recorded[storage.GameEnded](r); end.How != storage.EndStopped {
		t.Errorf("recorded %+v", end)
	}
}

// TestLobbyCommands: what the owner may do to the table, the mode and the lobby.
func TestLobbyCommands(t *testing.T) { inBubble(t, testLobbyCommands) }

func testLobbyCommands(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(6)
	owner, guest := r.join(g, "Owner", nil), r.join(g, "Guest", nil)
	table := func() string {
		var s strings.Builder
		for _, slot := range owner.Slots() {
			switch {
			case slot.Computer:
				s.WriteByte('c')
			case slot.PID == owner.PID:
				s.WriteByte('O')
			case slot.PID == guest.PID:
				s.WriteByte('G')
			case slot.PID != 0:
				s.WriteByte('f')
			default:
				s.WriteByte("-x"[slot.Status])
			}
		}
		return s.String()
	}
	for _, tc := range []struct{ line, want string }{
		{"!close 3 4", "OGxx--"},
		{"!open 4", "OGx---"},
		{"!comp 4 insane", "OGxc--"},
		{"!fp 1", "OGxcf-"},
		{"!closeall", "OGxcfx"},
		{"!swap 1 6", "xGxcfO"},
		{"!openall", "-G-cfO"},
		{"!deletefp", "-G-c-O"},
		{"!team guest 1", "G--c-O"},
		{"!closekick guest bye", "x--c-O"},
	} {
		typed(g, owner, tc.line)
		testkit.Eventually(t, tc.line+" makes "+tc.want, func() bool { return table() == tc.want })
	}
	wantFIN(t, guest)
	owner.Say("!unhost")
	owner.UntilText("closed by its owner")
	wantFIN(t, owner)
}
