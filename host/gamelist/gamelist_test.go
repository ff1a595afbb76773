package gamelist

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/lan"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

type nobody struct{}

func (nobody) Open(lan.Advert) error    { return nil }
func (nobody) Update(uint32, lan.Count) {}
func (nobody) Close(uint32)             {}

func newList(outQueue int) *List { return New(nobody{}, w3gs.ProductTFT, true, outQueue) }

// TestLimits: an address that asks too often is told so, ten players behind one
// are not, and all answers together are bounded in bytes.
func TestLimits(t *testing.T) {
	d := newList(4 << 20)
	now := time.Now()
	for id := range uint32(1000) {
		_ = d.Open(lan.Advert{GameID: id + 1, Name: "a lobby with a name of 31 bytes", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
	}
	state := func(addr string) gproxy.ListState {
		answer := d.Reply(netip.MustParseAddr(addr), gproxy.ListFormat, false, now)
		packet, err := gproxy.Decode(answer[len(answer)-12:])
		if err != nil || len(answer) > maxAnswer+12 {
			t.Fatalf("%d bytes, %v", len(answer), err)
		}
		return packet.(gproxy.Listed).State
	}
	for minute := range 10 { // ten players, every five seconds
		for range 120 {
			if s := state("192.0.2.1"); s != gproxy.AllListed {
				t.Fatalf("in minute %d a shared address is answered %d", minute, s)
			}
			now = now.Add(500 * time.Millisecond)
		}
	}
	listed := 0
	for range 10_000 {
		if state("192.0.2.2") == gproxy.AllListed {
			listed++
		}
	}
	if listed != asksPerMinute {
		t.Errorf("%d of 10,000 questions of one address were answered, want %d", listed, asksPerMinute)
	}
	now, listed = now.Add(time.Minute), 0
	begun := time.Now()
	for i := range 10_000 {
		if state(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}).String()) == gproxy.AllListed {
			listed++
		}
	}
	if most := answerBurst / len(d.answer); listed > most+1 || listed < most/2 {
		t.Errorf("%d of 10,000 addresses were sent %d bytes each", listed, len(d.answer))
	}
	t.Logf("10,000 questions took %v, %d answers of %d bytes", time.Since(begun), listed, len(d.answer))
}

// TestOutQueue: an answer is not longer than what may wait for a socket.
func TestOutQueue(t *testing.T) {
	const most = 16 << 10
	d := newList(most)
	for id := range uint32(1000) {
		_ = d.Open(lan.Advert{GameID: id + 1, Name: "a lobby", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
	}
	answer := d.Reply(netip.MustParseAddr("192.0.2.1"), gproxy.ListFormat, false, time.Now())
	if len(answer) > most || len(answer) < most*9/10 {
		t.Errorf("%d bytes, %d may wait", len(answer), most)
	}
	if end, err := gproxy.Decode(answer[len(answer)-12:]); err != nil || end.(gproxy.Listed).State != gproxy.AllListed {
		t.Errorf("it ends with %+v, %v", end, err)
	}
}

// TestAnswer: an answer serves all who ask within a second, tells how old lobbies are,
// and is given to an exempt address however often it asks.
func TestAnswer(t *testing.T) {
	d := newList(4 << 20)
	now := time.Now()
	open := func(id uint32) {
		_ = d.Open(lan.Advert{GameID: id, Name: "a", Count: lan.Count{Slots: 12, Open: 12}, Variants: []lan.Variant{{Version: 26}}})
		d.entries[len(d.entries)-1].since = now.Add(-90 * time.Second)
	}
	reply := func(at time.Time) []byte {
		return d.Reply(netip.MustParseAddr("127.0.0.1"), gproxy.ListFormat, true, at)
	}
	open(1)
	first := slices.Clone(reply(now))
	var info w3gs.GameInfo
	if err := info.Decode(w3gs.Frame(first[:len(first)-12]).Body()); err != nil || info.UptimeSeconds != 90 {
		t.Errorf("open for 90 s: %+v, %v", info, err)
	}
	open(2)
	for range 10_000 {
		if !bytes.Equal(reply(now.Add(freshFor-1)), first) {
			t.Fatal("the answer was made once more within a second, or was refused")
		}
	}
	if again := reply(now.Add(freshFor)); len(again) < 2*len(first)-12 {
		t.Errorf("a second later the answer has %d bytes, with one lobby %d", len(again), len(first))
	}
}
