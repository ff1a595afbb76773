package main

import (
	"strings"
	"testing"

	"w3host/storage"
)

// TestShowLeavers prints a game whose players ended it together: none of them has lost.
func TestShowLeavers(t *testing.T) {
	var out strings.Builder
	g := &storage.GameDetail{People: []storage.GamePlayer{{Name: "Ann", LeftReason: "lost"}, {Name: "Bob", Slot: 1, LeftReason: "disconnected"}}}
	if err := printGame(&out, g); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "lost") || !strings.Contains(text, "quit") || !strings.Contains(text, "disconnected") {
		t.Errorf("the game shows:\n%s", text)
	}
}
