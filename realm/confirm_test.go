package realm

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/internal/realmtest"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// The realm says who is in the game, in each of its languages, and in no language that
// somebody is who is in a channel, or another game, of its name.
func TestConfirm(t *testing.T) {
	for _, locale := range realmtest.Locales {
		if locale == realmtest.Blank {
			continue // it says nothing: see session.TestAnswers
		}
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			s := realmtest.Start(t)
			s.Speak(locale)
			s.Register("Bot", password)
			r := newRig(t, s, nil)
			const name = `a "lobby" of 31 bytes, not more` // as long as a name may be
			r.open(t, advert(1, name))
			testkit.Eventually(t, "listed", func() bool { return r.lists(name) })
			ask := func(who string) chan bool {
				answer := make(chan bool, 1)
				r.Confirm("HOME", who, 1, netip.MustParseAddr("10.0.0.1"), func(in bool) { answer <- in })
				return answer
			}
			s.Person("Bob", name)
			forger := s.Person("Cid", `x" and is currently in  game "`+name)
			forger.Say(`/away Cid is using Warcraft III Frozen Throne and is currently in  game "` + name + `".`)
			no := []chan bool{ask("bob"), ask("cid")}
			s.Person("Ann", "w3").Join(name)
			if !<-ask("ann") {
				t.Error("Ann is in the lobby")
			}
			for i, answer := range no { // their first answers have come before
				select {
				case in := <-answer:
					t.Errorf("number %d is in the lobby: %v", i, in)
				default:
				}
			}
		})
	}
}

// A lobby that gets the name of a game on the realm that has started is one of two of that
// name: who is in one of them may be in the other.
func TestConfirmsNobodyInNameOfAnother(t *testing.T) {
	r := atHome(t, nil)
	r.s.Person("Eve", "").Host("raid", false)
	r.s.Person("Ann", "w3").Join("raid")
	r.s.Begin("raid")
	r.open(t, advert(1, "raid"))
	testkit.Eventually(t, "listed", func() bool { return r.lists("raid") })
	answer := make(chan bool, 1)
	r.Confirm("Home", "Ann", 1, netip.MustParseAddr("10.0.0.1"), func(in bool) { answer <- in })
	if <-answer {
		t.Error("Ann is taken for somebody in this lobby")
	}
}

// A lobby that somebody has asked for goes before one that is open, and one that waits is
// told of.
func TestAskedForFirst(t *testing.T) {
	r := atHome(t, func(a *Account) { a.Session.Games = 1 })
	open := func(id uint32, name string, asked, private bool) {
		t.Helper()
		ad := advert(id, name)
		ad.Requested, ad.Private = asked, private
		if err := r.Open(ad); err != nil {
			t.Fatal(err)
		}
	}
	open(1, "auto", false, false)
	testkit.Eventually(t, "listed", func() bool { return r.lists("auto") })
	open(2, "mine", true, true)
	testkit.Eventually(t, "the private lobby is found", func() bool { return len(r.s.Named("mine")) == 1 })
	open(3, "theirs", true, false)
	if realm, before := r.Waits(3); realm != "Home" || before != "mine" {
		t.Errorf("it waits on %q for %q", realm, before)
	}
	if realm, before := r.Waits(2); realm != "" {
		t.Errorf("the first waits on %q for %q", realm, before)
	}
	r.Close(2)
	testkit.Eventually(t, "the next is listed", func() bool { return r.lists("theirs") })
	r.Close(3)
	testkit.Eventually(t, "what opens by itself comes last", func() bool { return r.lists("auto") })
}

// A name that another lobby has is free soon after it.
func TestNameBecomesFree(t *testing.T) {
	tier.All(t, "waits for real time")
	r := atHome(t, nil)
	eve := r.s.Person("Eve", "")
	eve.Host("lobby", false)
	r.open(t, advert(1, "lobby"))
	testkit.Eventually(t, "not listed", func() bool { return strings.Contains(r.log.String(), "has a lobby of this name already") })
	eve.Leave()
	free := time.Now()
	testkit.Eventually(t, "listed", func() bool { return r.lists("lobby") })
	if late := time.Since(free); late > 8*time.Second {
		t.Errorf("listed %v after the name was free", late)
	}
	if n := strings.Count(r.log.String(), "lobby not listed"); n != 1 {
		t.Errorf("told %d times", n)
	}
}
