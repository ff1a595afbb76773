package host

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// A flood of connections that are refused leaves one line of its address in the log, and
// one with a number when the time is over; lines of other addresses are there.
func TestFloodOfRefusalsInTheLog(t *testing.T) { inBubble(t, testFloodOfRefusalsInTheLog) }

func testFloodOfRefusalsInTheLog(t *testing.T) {
	const flood = 300
	r := newRig(t, func(o *Options) { o.Log = o.Log.Level(zerolog.InfoLevel) })
	r.line = simnet.Line{} // all connections fall into one moment
	r.h.shard.Wait(func() { r.h.shard.refused = admission.NewRefusals(time.Second) })
	for range flood {
		c := r.dial()
		c.Send([]byte("GET / HTTP/1.0\r\n\r\n"))
		go c.Listen()
		_ = c.Ended()
	}
	sum := func() (n int) {
		for _, line := range r.log.find("more connections from this address were refused") {
			n += int(line["times"].(float64))
		}
		return n + len(r.log.find("connection closed before it joined"))
	}
	testkit.Eventually(t, "all are counted", func() bool { return sum() == flood })
	if lines := strings.Count(r.log.String(), "\n"); lines > 2*int(patience/time.Second) || lines > flood/10 {
		t.Errorf("%d refused connections are %d lines", flood, lines)
	}
}

// opening calls f while a lobby is made: when it has its number, and is not open yet.
type opening struct {
	nobody
	f func()
}

func (o *opening) Of(w3gs.Version) []string {
	o.f()
	return nil
}

// A lobby that is being made is none yet, and not a game that is over: programs that guess
// numbers ask for it again.
func TestJoinBeforeALobbyIsOpen(t *testing.T) { inBubble(t, testJoinBeforeALobbyIsOpen) }

func testJoinBeforeALobbyIsOpen(t *testing.T) {
	realms := &opening{f: func() {}}
	r := newRig(t, func(o *Options) { o.Realms = realms })
	knock := func() *client {
		c := r.dial()
		go c.Listen()
		c.Send(joinPacket(1, 0, "Alice"))
		return c
	}
	realms.f = func() { knock().Expect("F7 05 08 00 07 00 00 00") }
	g := r.lobby(2)
	realms.f = func() {}
	r.h.shard.Wait(func() { // as if it were opened while the loop serves others
		go r.h.OpenLobby("next", testMap(2))
		testkit.Eventually(t, "there is a lobby", func() bool { return r.h.Game(2) != nil })
		if _, why, _ := r.h.route(&link{Conn: new(loop.Conn), person: new(person), shard: r.h.shard}, &w3gs.ReqJoin{GameID: 2, Name: "Bob"}); why != w3gs.RejectInvalid {
			t.Errorf("a lobby that has not begun answers %v", why)
		}
	})
	if !r.h.CloseLobby(g.ID(), "somebody") {
		t.Error("the lobby is not closed")
	}
	if r.h.Info(g.ID()).ID != 0 || r.h.CloseLobby(g.ID(), "somebody") {
		t.Error("the lobby is still there when it is said to be closed")
	}
	knock().Expect("F7 05 08 00 0A 00 00 00")
}
