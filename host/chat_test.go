package host

import (
	"io"
	"strings"
	"testing"
	"time"

	"w3host/storage"
)

// TestCommandsAreNoFlood: an owner's commands are no lines too many, and one who
// has talked too much is still obeyed.
func TestCommandsAreNoFlood(t *testing.T) { inBubble(t, testCommandsAreNoFlood) }

func testCommandsAreNoFlood(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Lobby.Countdown.Lines = 60 })
	g := r.lobby(4)
	owner, guest := r.join(g, "Owner", player), r.join(g, "Guest", player)
	for range 6 {
		owner.Say("!swap 1 2", guest.PID)
	}
	owner.Say("heard", guest.PID)
	guest.UntilText("heard")

	for range 5 {
		owner.Say("chatter", guest.PID)
	}
	owner.UntilText("You are muted")
	owner.Say("unheard", guest.PID)
	owner.Say("!start force", guest.PID)
	guest.UntilText("60…")
	owner.Say("!abort", guest.PID)
	if line := guest.UntilText("stopped"); line != "Countdown stopped." {
		t.Errorf("the guest reads %q", line)
	}
	for _, line := range recordsOf[storage.ChatLine](r) {
		if line.Text == "unheard" || line.Text == "!abort" {
			t.Errorf("recorded %+v, which nobody heard", line)
		}
	}
	if a := recorded[storage.AdminAction](r); a.Action != "abort" || a.Refused != "" {
		t.Errorf("recorded %+v", a)
	}

	// Whoever may not command is muted in full.
	for range 6 {
		guest.Say("!start", owner.PID)
	}
	guest.UntilText("You are muted")
	guest.UntilText("Only the owner") // the answer to the last before the mute
	guest.Say("!start", owner.PID)
	guest.Say("!version")
	if line := guest.UntilText(""); line != "w3host test" {
		t.Errorf("the guest reads %q", line)
	}
}

// TestPrivateLinesInTheGame: whatever is added to scope 3 arrives as it was sent.
func TestPrivateLinesInTheGame(t *testing.T) { inBubble(t, testPrivateLinesInTheGame) }

func testPrivateLinesInTheGame(t *testing.T) {
	r := newRig(t, nil)
	_, players := r.play(3)
	a, b, c := players[0], players[1], players[2]
	for _, scope := range []uint32{3, 14, 0x1003, 0xFFFFFFFF} {
		a.Send(packet(0x28, byte(1), b.PID, a.PID, byte(0x20), scope, "psst"))
		want := packet(0x0F, byte(1), b.PID, a.PID, byte(0x20), scope, "psst")
		if got := b.UntilChat("psst"); string(got) != string(want) {
			t.Errorf("scope %d: got % X, want % X", scope, got, want)
		}
	}
	if line := recorded[storage.ChatLine](r); line.Scope != storage.ChatPrivate || line.To != b.Name {
		t.Errorf("recorded %+v", line)
	}
	a.SayInGame("done", c.PID)
	if c.UntilText("done"); seen(c, "psst") {
		t.Error("the third reads a private line")
	}
}

// TestKickKeepsOut: the kicked reads why, cannot come back for a while, and is
// stored as kicked.
func TestKickKeepsOut(t *testing.T) { inBubble(t, testKickKeepsOut) }

func testKickKeepsOut(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Lobby.Admission.KickCooldown = time.Hour })
	g := r.lobby(4)
	owner, ann, lee := r.join(g, "Owner", player), r.join(g, "Ann Lee", player), r.join(g, "Ann", player)
	typed(g, owner, "!kick ann lee too loud")
	if line := ann.UntilText("kicked"); line != "You were kicked: too loud" {
		t.Errorf("the kicked reads %q", line)
	}
	ann.Until(0x1C)
	wantFIN(t, ann)
	lee.UntilText("Ann Lee was kicked: too loud")
	if left := recorded[storage.PlayerLeft](r); left.PID != ann.PID || left.Reason != "kicked: too loud" {
		t.Errorf("recorded %+v", left)
	}
	if a := recorded[storage.AdminAction](r); a.On != "Ann Lee" || a.Refused != "" {
		t.Errorf("recorded %+v", a)
	}
	back := r.knock(g, "ann lee", nil)
	back.Expect("F7 05 08 00 07 00 00 00")
	if err := back.Ended(); err != io.EOF {
		t.Error(err)
	}
	if line := r.logged("join refused"); !strings.HasPrefix(line["reason"].(string), "Ann Lee was kicked and is kept out for another ") {
		t.Errorf("logged %v", line)
	}
	r.join(g, "Brother", player) // loopback is exempt from limits by address
}

// TestStandIn: while the named owner is away, whoever was first may start, and no
// more.
func TestStandIn(t *testing.T) { inBubble(t, testStandIn) }

func testStandIn(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Lobby.SetOwner("Boss") })
	g := r.lobby(4)
	first, second := r.join(g, "First", player), r.join(g, "Second", player)
	first.UntilText("Boss, the owner of this lobby, is away")
	for _, tc := range []struct {
		who          *client
		line, answer string
	}{
		{second, "!start force", "Only the owner or a stand-in can use start."},
		{first, "!kick second", "Only the owner can use kick."},
		{first, "!start now", ""},
	} {
		typed(g, tc.who, tc.line)
		if tc.answer == "" {
			tc.who.Until(0x0B)
		} else if line := tc.who.UntilText("Only"); line != tc.answer {
			t.Errorf("%s: answered %q", tc.line, line)
		}
	}
}
