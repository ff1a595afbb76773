package lobby

import (
	"errors"
	"testing"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// TestRefusalCodes asks for what cannot be done; programs go by the code.
func TestRefusalCodes(t *testing.T) {
	cfg := Defaults()
	cfg.Slots = make([]w3gs.Slot, 2)
	cfg.Layout = w3gs.LayoutFixedSettings
	l := New(cfg, new(heard))
	l.Join(0, Join{Conn: 1, Req: w3gs.ReqJoin{Name: "Ann"}})
	pid := l.Players()[0].PID
	for _, c := range []struct {
		op   Operation
		want texts.Code
	}{
		{SetSlots{Slots: []int{9}}, texts.OutOfRange},
		{Mute{PID: 11}, texts.NoSuch},
		{Set{Slot: 0, What: w3gs.ChatColour, Value: 3}, texts.Fixed},
		{FakePlayer{Count: 5}, texts.Full},
		{Say{Text: texts.Plain(" ")}, texts.Malformed},
		{HCL{Text: "A"}, texts.Malformed},
		{Start{}, texts.NotYet},
		{Start{Force: true}, ""},
		{Swap{A: 0, B: 1}, texts.Counting},
		{Start{Force: true, Now: true}, ""},
		{SetSlots{Slots: []int{1}}, texts.TooLate},
		{Kick{PID: pid}, ""},
	} {
		var got *texts.Refusal
		if err := l.Do(0, c.op); err != nil && !errors.As(err, &got) {
			t.Fatalf("%T is no Refusal", err)
		}
		if code := codeOf(got); code != c.want {
			t.Errorf("%T%+v: refused with %q (%v), want %q", c.op, c.op, code, got, c.want)
		}
	}
}

func codeOf(r *texts.Refusal) texts.Code {
	if r == nil {
		return ""
	}
	return r.Code
}
