package survive

import (
	"testing"

	"w3host/hold"
)

// A request for a game is either withdrawn or accepted, never both, and it erases no order to end the game.
func TestWish(t *testing.T) {
	type owner = *Ledger
	type other = *Left
	for name, c := range map[string]struct {
		do                func(o owner, l other)
		released, kept    bool      // what Release and then Withdraw return
		wanted, afterward Directive // before and after these two
	}{
		"nothing is asked":                      {func(owner, other) {}, false, true, NoDirective, NoDirective},
		"a request":                             {func(_ owner, l other) { l.Request(0) }, true, false, ReleaseGame, Releasing},
		"a request that is behind the journal":  {func(_ owner, l other) { l.Request(1) }, false, true, ReleaseGame, NoDirective},
		"a request that has caught up":          {func(_ owner, l other) { l.Request(1); l.Request(0) }, true, false, ReleaseGame, Releasing},
		"a request that is withdrawn":           {func(_ owner, l other) { l.Request(0); l.Withdraw() }, false, true, NoDirective, NoDirective},
		"a request after a rehearsal":           {func(_ owner, l other) { l.Verdict(true); l.Request(0) }, true, false, ReleaseGame, Releasing},
		"a rehearsal during a request":          {func(_ owner, l other) { l.Request(0); l.Verdict(true) }, true, false, ReleaseGame, Releasing},
		"a rehearsal that finds no difference":  {func(_ owner, l other) { l.Verdict(true); l.Verdict(false) }, false, true, NoDirective, NoDirective},
		"an order, and a request":               {func(_ owner, l other) { l.OrderEnd(); l.Request(0) }, false, true, EndGame, EndGame},
		"an order, and a rehearsal":             {func(_ owner, l other) { l.OrderEnd(); l.Verdict(false) }, false, true, EndGame, EndGame},
		"an order in the place of a request":    {func(_ owner, l other) { l.Request(0); l.OrderEnd() }, false, true, EndGame, EndGame},
		"an order that was carried out":         {func(o owner, l other) { l.OrderEnd(); o.Obeyed() }, false, true, NoDirective, NoDirective},
		"an order for a game that was released": {func(o owner, l other) { l.Request(0); o.Release(); l.OrderEnd() }, false, false, Releasing, Releasing},
		"a claim": {func(o owner, l other) {
			l.Request(0)
			o.Release()
			if err := l.RecordCrash(); err != nil {
				t.Error(err)
			}
		}, false, true, NoDirective, NoDirective},
	} {
		o := BeginIn(hold.Of(make([]byte, 2*hold.HeadLen)))
		l := o.Left()
		c.do(o, l)
		wanted := o.Wanted()
		released := o.Release()
		kept := l.Withdraw()
		if wanted != c.wanted || released != c.released || kept != c.kept || o.Wanted() != c.afterward {
			t.Errorf("%s: wanted %v, released %v, kept %v, wanted then %v", name, wanted, released, kept, o.Wanted())
		}
	}
}
