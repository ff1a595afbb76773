package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"w3host/host/loop"
	"w3host/internal/testkit"
	"w3host/mapxfer"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// hose is a socket that has more and more of one packet, behind what begins it, and
// counts the packets that the link's handler is given.
type hose struct {
	loop.Socket
	loop.Handler
	name          string
	link          *link
	first, packet []byte
	reads, bytes  int
	handled       int
	at            int // in packet
}

func (h *hose) Read(b []byte) (n int, more bool, err error) {
	h.reads++
	n = copy(b, h.first)
	h.first = h.first[n:]
	for n < len(b) {
		m := copy(b[n:], h.packet[h.at:])
		n, h.at = n+m, (h.at+m)%len(h.packet)
	}
	h.bytes += n
	return n, true, nil
}

func (h *hose) Write(b []byte) (int, error)  { return len(b), nil }
func (h *hose) Figures() mapxfer.Figures     { return mapxfer.Figures{} }
func (h *hose) Waited() (none time.Duration) { return none }

// Packet passes a packet on.
func (h *hose) Packet(frame []byte) error {
	h.handled++
	return h.Handler.Packet(frame)
}

// kinds are one packet of each kind that a client may send, found from the tables, and
// some that none sends.
func kinds(pid uint8) map[string][]byte {
	all := map[string][]byte{
		"unknown":            packet(0x77),
		"of 2 KiB":           packet(0x77, make([]byte, loop.FrameMax-4)),
		"longer than 2 KiB":  packet(0x77, make([]byte, loop.FrameMax-3)),
		"as long as can be":  packet(0x77, make([]byte, w3gs.MaxFrame-4)),
		"no packet":          []byte("GET / HTTP/1.1\r\n\r\n"),
		"command":            packet(0x28, byte(1), pid, pid, byte(0x10), "!help"),
		"line in the game":   packet(0x28, byte(1), pid, pid, byte(0x20), uint32(0), "!help"),
		"whole map":          packet(0x42, uint32(1), byte(1), uint32(4000)),
		"progress":           packet(0x42, uint32(1), byte(3), uint32(1442)),
		"part never sent":    packet(0x44, pid, byte(1), uint32(1), uint32(1442)),
		"the longest action": action(make([]byte, w3gs.MaxActionLen)),
	}
	for op := range 256 {
		if p := w3gs.New(w3gs.Op(op), w3gs.FromClient); p != nil {
			all[w3gs.Op(op).String()] = p.AppendTo(nil)
		}
		for n := range 60 {
			b := append([]byte{gproxy.Magic, byte(op), byte(4 + n), 0}, make([]byte, n)...)
			if _, err := gproxy.Decode(b); err == nil {
				all[fmt.Sprintf("0xF8 %d of %d bytes", op, len(b))] = b
			}
		}
	}
	return all
}

// scene brings links into a state: n of them, and what each is to send first.
type scene struct {
	name  string
	links func(r *rig, n int) []*client
	first func(r *rig, c *client) []byte
}

func scenes(r *rig) []scene {
	nothing := func(*rig, *client) []byte { return nil }
	leave := func(*rig, *client) []byte { return packet(0x21, uint32(7)) }
	unjoined := func(r *rig, n int) (all []*client) {
		for range n {
			all = append(all, r.dial())
		}
		return all
	}
	inLobby := func(conduct func(*client, []byte)) func(*rig, int) []*client {
		return func(r *rig, n int) (all []*client) {
			g := r.lobby(n + 1)
			r.join(g, "Owner", player)
			for i := range n {
				all = append(all, r.join(g, fmt.Sprintf("P%d", i), conduct))
			}
			return all
		}
	}
	started := func(r *rig, n int) []*client {
		g := r.lobby(n + 1)
		all := []*client{r.join(g, "Owner", player)}
		for i := range n {
			all = append(all, r.join(g, fmt.Sprintf("P%d", i), lobbyist))
		}
		r.begin(all...)
		return all[1:]
	}
	loaded := func(r *rig, n int) []*client {
		all := started(r, n)
		for _, c := range all {
			c.Send(packet(0x23))
		}
		for _, c := range all {
			c.Until(0x0C)
		}
		return all
	}
	var returning []byte
	return []scene{
		{"unjoined", unjoined, nothing},
		{"refused", unjoined, func(*rig, *client) []byte { return joinPacket(0xFFFFFF, 0, "Nobody") }},
		{"in a lobby", inLobby(player), nothing},
		{"downloading", inLobby(func(c *client, b []byte) {
			if b[1] == 0x3D {
				c.Send(packet(0x42, uint32(1), byte(1), uint32(0)))
			}
		}), nothing},
		{"loading", started, nothing},
		{"playing", loaded, nothing},
		{"leaving a lobby", inLobby(player), leave},
		{"leaving a game", loaded, leave},
		{"returning", func(r *rig, n int) []*client {
			g := r.lobby(2)
			owner := r.join(g, "Owner", player)
			away, key := r.offered(g, "Away")
			r.begin(owner, away)
			away.Until(0x0C)
			last := uint32(len(away.All()))
			returning = gproxy.Reconnect{PID: away.PID, Key: key, Last: last}.AppendTo(nil)
			return unjoined(r, n)
		}, func(*rig, *client) []byte { return returning }},
	}
}

// link is that of a client.
func (r *rig) link(c *client) (found *link) {
	port := c.LocalPort()
	testkit.Eventually(r.t, "the link", func() bool {
		games := r.h.Games()
		r.h.shard.Wait(func() {
			for c := range r.h.shard.Expiring(loop.Arriving) {
				if c.Addr.Port() == port {
					found = c.Handler.(*link)
				}
			}
			for _, g := range games {
				for _, l := range g.links {
					if l.Addr.Port() == port {
						found = l
					}
				}
			}
		})
		return found != nil
	})
	return found
}

// TestPass floods with each kind of packet in each state of a link: what one pass does
// is bounded, every flood ends with its link, and the turns of others are not late.
func TestPass(t *testing.T) { inBubble(t, testPass) }

func testPass(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits.UnjoinedPerIP, o.Limits.LobbyLeaves = 1000, 0
		o.Game.Reconnect.Wait, o.Game.Reconnect.Silence = time.Minute, 20*time.Second
	})
	playing, players := r.play(3)
	late := new(lateTape)
	ask(t, playing, func(g *Game) bool { g.observers = append(g.observers, late); return true })
	states, all := map[loop.State]bool{}, map[uint8]map[string][]byte{}
	for _, sc := range scenes(r) {
		names := slices.Sorted(maps.Keys(kinds(0)))
		for len(names) > 0 {
			n := min(len(names), 10)
			var hoses []*hose
			for i, c := range sc.links(r, n) {
				if all[c.PID] == nil {
					all[c.PID] = kinds(c.PID)
				}
				h := &hose{name: sc.name + ": " + names[i], link: r.link(c), first: sc.first(r, c), packet: all[c.PID][names[i]]}
				r.open(h, states)
				hoses = append(hoses, h)
			}
			for _, h := range hoses {
				r.drained(h)
			}
			names = names[n:]
		}
	}
	for s := loop.Arriving; s < loop.Closed; s++ {
		if !states[s] {
			t.Errorf("no scene has a link in state %d", s)
		}
	}
	checkUndisturbed(t, playing, late, players, 0)
}

// What docs/safety.md says of one pass.
const fewPackets, fewBytes = 64, 16 << 10

// open opens the hose on its link, for one pass.
func (r *rig) open(h *hose, states map[loop.State]bool) {
	l, s := h.link, r.h.shard
	s.Wait(func() {
		h.Socket, l.Socket = l.Socket, h
		h.Handler, l.Handler = l.Handler, h
		states[l.State()] = true
		s.Receive(l.Conn)
		states[l.State()] = true
		if h.reads > 1 || h.bytes > fewBytes || h.handled > fewPackets {
			r.t.Errorf("%s: one pass read %d times and handled %d packets of %d bytes", h.name, h.reads, h.handled, h.bytes)
		}
	})
}

// drained waits for the end of the link.
func (r *rig) drained(h *hose) {
	testkit.Eventually(r.t, "the end of the flood "+h.name, func() bool {
		over := false
		return r.h.shard.Wait(func() { over = h.link.State() == loop.Closed }) && over
	})
	if most := max(10*r.h.shard.opts.Limits.PacketRate+1000, 2*loop.LingerBytes) * len(h.packet); h.bytes > most {
		r.t.Errorf("%s: %d bytes were read before the end", h.name, h.bytes)
	}
	if errors.Is(h.link.Cause(), loop.ErrCrashed) {
		r.t.Errorf("%s: the connection crashed", h.name)
	}
}
