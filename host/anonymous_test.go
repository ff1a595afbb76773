package host

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/record/recording"
	"w3host/storage"
)

// TestHiddenNames: nothing that a client gets has another player's name; the replay and the game log do.
func TestHiddenNames(t *testing.T) { inBubble(t, testHiddenNames) }

func testHiddenNames(t *testing.T) {
	dir := t.TempDir()
	archive, err := recording.Open(recording.Options{Dir: dir, Name: "game"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) {
		o.Replays, o.Game.Lobby.Admission.Anonymous, o.Game.Lobby.Admission.AnyMap = archive, true, true
	})
	g := r.lobby(4)
	ann := r.join(g, "Annabelle", player)
	bob := r.join(g, "Bobbington", player)
	bob.Say("!roll", ann.PID, bob.PID)
	for rolled := false; ; {
		frame := ann.Next()
		if bytes.Contains(frame, []byte("Bobbington")) {
			t.Errorf("Annabelle gets % x", frame)
		}
		if !rolled && bytes.Contains(frame, []byte("Player 3 rolls")) {
			rolled = true
			ann.Say("!start now", ann.PID)
		}
		if frame == nil || frame[1] == 0x0B {
			break
		}
	}
	bob.Until(0x0B)
	ann.Until(0x0C)
	var names []string
	for _, s := range recorded[storage.GameStarted](r).Slots {
		names = append(names, s.Name)
	}
	r.shutDown()
	if err := archive.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "game.w3g"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := replay.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read.Start.Players {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"Annabelle", "Bobbington", "Annabelle", "Bobbington"}) {
		t.Errorf("recorded %q", names)
	}
}
