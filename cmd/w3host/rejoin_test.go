package main

import (
	"errors"
	"testing"

	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// Who joins and leaves again and again is refused for a while; others are not.
func TestRejoins(t *testing.T) {
	t.Parallel()
	h := startHost(t, "[limits]\nlobby_leaves = 3\nexempt = []\n")
	for i := range 4 {
		ann := h.dial(t)
		_, err := ann.Join(1, 0, "Ann")
		if i < 3 {
			if err != nil {
				t.Fatalf("join %d: %v", i+1, err)
			}
			ann.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLobby}).AppendTo(nil))
			if _, err := ann.WaitClosed(2 * patience); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var refused *testkit.Refused
		if !errors.As(err, &refused) || refused.Reason != w3gs.RejectInvalid {
			t.Errorf("join %d: %v", i+1, err)
		}
	}
	if _, err := h.dial(t).Join(1, 0, "Bob"); err != nil {
		t.Errorf("Bob, who has not left: %v", err)
	}
}

// Joins from this machine, as those of tests and bots, are free.
func TestRejoinsOfAnExemptNetwork(t *testing.T) {
	t.Parallel()
	h := startHost(t, "[limits]\nlobby_leaves = 1\n")
	for i := range 4 {
		ann := h.dial(t)
		if _, err := ann.Join(1, 0, "Ann"); err != nil {
			t.Fatalf("join %d: %v", i+1, err)
		}
		ann.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLobby}).AppendTo(nil))
		if _, err := ann.WaitClosed(2 * patience); err != nil {
			t.Fatal(err)
		}
	}
}

// A role that is bound to a network counts on the LAN, for joins from there.
func TestNetworkRoles(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	h := startHost(t, "[lobby]\nowner = \"\"\n")
	db := h.store(t)
	for name, network := range map[string]string{"": "127.0.0.0/8", "Eve": "192.0.2.0/24"} {
		target, err := storage.ParseBanTarget(network)
		if err != nil {
			t.Fatal(err)
		}
		role := storage.RoleAdmin
		if name != "" {
			role = storage.RoleRoot
		}
		if err := db.AddAdmin(t.Context(), storage.Admin{Name: name, Network: target.Network, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	eve := h.dial(t)
	if _, err := eve.Join(1, 0, "Eve"); err != nil {
		t.Fatal(err)
	}
	saysUntil(t, eve, "!say heard", "heard")
	eve.Say("!admins")
	reads(t, eve, "Only root can use admins")
}
