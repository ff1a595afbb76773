package host

import (
	"fmt"
	"testing"
	"time"
)

// TestLoadInGame: who has loaded enters at once, sees on the lag screen who has
// not, and may leave; the late ones get the same in the same order.
func TestLoadInGame(t *testing.T) { inBubble(t, testLoadInGame) }

func testLoadInGame(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Turns.LoadInGame = true })
	g := r.lobby(4)
	var clients []*client
	for i := range 4 {
		clients = append(clients, r.join(g, fmt.Sprintf("P%d", i+1), lobbyist))
	}
	r.begin(clients...)
	a, b, late, gone := clients[0], clients[1], clients[2], clients[3]
	loaded := func(c *client) string { return fmt.Sprintf("F7 08 05 00 %02X", c.PID) }
	everybody := []string{loaded(a), loaded(b), loaded(late), loaded(gone)}

	a.Send(packet(0x23))
	a.Expect(everybody...)
	a.Expect(fmt.Sprintf("F7 10 14 00 03 %02X 00 00 00 00 %02X 00 00 00 00 %02X 00 00 00 00", b.PID, late.PID, gone.PID))
	b.Send(packet(0x23))
	b.Expect(everybody...)
	b.Expect(fmt.Sprintf("F7 10 0F 00 02 %02X 00 00 00 00 %02X 00 00 00 00", late.PID, gone.PID))
	a.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", b.PID))

	_ = gone.Conn.Close()
	leave := fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", gone.PID)
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", gone.PID), leave)
	}
	b.Send(action([]byte{0x42})) // allowed: the player is in the game
	time.Sleep(2 * period)       // no turn comes meanwhile

	late.Send(packet(0x23))
	late.Expect(append(everybody, leave)...)
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", late.PID))
	}
	for _, c := range []*client{a, b, late} {
		c.Expect(fmt.Sprintf("F7 0C 0C 00 32 00 ?? ?? %02X 01 00 42", b.PID))
		c.Until(0x0C)
	}
}
