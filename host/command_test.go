package host

import (
	"strings"
	"testing"

	"w3host/game"
	"w3host/game/command"
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

// typed is a line of chat that the lobby has relayed. It comes without the
// chat, which mutes whoever says five lines in five seconds.
func typed(g *Game, c *client, line string) {
	g.call(func() {
		g.step(&game.Input{Kind: game.Command, Caller: &command.Caller{PID: c.PID}, Line: line[1:]})
	})
}
