package host

import (
	"context"
	"fmt"
	"testing"

	"w3host/game"
	"w3host/storage"
)

// passwords is who knows one password for everybody, which nobody guesses by accident.
type passwords struct{ nobody }

func (passwords) Login(_ context.Context, _, password string) error {
	if password != "correct horse" {
		return game.ErrWrongPassword
	}
	return nil
}

// Whoever guesses an admin's password from elsewhere runs out of guesses; the admin
// does not, and still gets in. Nor does a flood of guesses fill the audit log.
func TestGuessesDoNotLockAnAdminOut(t *testing.T) { inBubble(t, testGuessesDoNotLockAnAdminOut) }

func testGuessesDoNotLockAnAdminOut(t *testing.T) {
	r := newRig(t, func(o *Options) { o.People, o.Limits.Exempt = passwords{}, nil })
	thief := r.letIn(r.knockOn(clientOn(t, r.connect("127.0.0.2")), r.lobby(4), "Ann", nil))
	for n := range 5 {
		thief.Say(fmt.Sprintf("!login guess%d", n))
		thief.UntilText("The password is wrong")
	}
	thief.Say("!login guess6")
	thief.UntilText("Too many wrong passwords: wait")

	ann := r.letIn(r.knockOn(clientOn(t, r.connect("127.0.0.3")), r.lobby(4), "ann", nil))
	ann.Say("!login a typo")
	ann.UntilText("The password is wrong")
	ann.Say("!login correct horse")
	ann.UntilText("You are logged in.")

	for range 100 {
		thief.Say("!login once more")
	}
	thief.Say("!version")
	thief.UntilText("w3host test")
	if n := len(recordsOf[storage.AdminAction](r)); n > 2+15+1 {
		t.Errorf("%d rows of audit", n)
	}
}
