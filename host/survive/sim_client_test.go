package survive

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// client plays by a script that depends on the seed and on what it is sent, and not on the host's
// processes.
type client struct {
	name    string
	r       *rand.Rand
	at      int    // of its socket in the world; -1: none yet
	taken   int    // bytes of the socket's stream that it has taken apart
	version uint32 // of its proxy; 0: none
	has     bool   // the map
	joins   int    // the turn in which it does
	leaves  int    // the lobby; 0: it does not
	breaks  int    // turns of the game after which its connection breaks; 0: it does not

	sending  []byte
	packets  uint32 // received on all connections
	pid      uint8
	key      uint32
	file     []byte
	playing  bool
	turns    int
	broken   int // the turn in which it broke
	reported uint32
}

// socket is that of the client.
func (c *client) socket(w *world) *socket { return w.sockets[c.at] }

// connect opens a connection that begins with a packet.
func (c *client) connect(w *world, first []byte) {
	room := 2000 + c.r.IntN(4000)
	if c.playing {
		room = 60 + c.r.IntN(400)
	}
	c.at, c.taken, c.sending = len(w.sockets), 0, nil
	w.sockets = append(w.sockets, &socket{room: room, in: first})
}

// act does what the client does in a turn of the simulation.
func (c *client) act(w *world, n int) {
	switch {
	case c.at < 0 && n < c.joins:
		return
	case c.at < 0:
		c.connect(w, (&w3gs.ReqJoin{Name: c.name}).AppendTo(nil))
		return
	case c.broken > 0 && n == c.broken+3:
		c.broken = 0
		c.connect(w, gproxy.Reconnect{PID: c.pid, Key: c.key, Last: c.packets}.AppendTo(nil))
		return
	}
	if c.broken > 0 {
		return
	}
	s := c.socket(w)
	most := 500 + c.r.IntN(3000)
	if c.playing {
		most = 20 + c.r.IntN(200)
	}
	s.drain(most)
	c.read(s)
	c.say(s, n)
	cut := c.r.IntN(len(c.sending) + 1)
	s.in, c.sending = append(s.in, c.sending[:cut]...), c.sending[cut:]
	if c.breaks > 0 && c.turns >= c.breaks && c.version > 0 {
		c.breaks, c.broken = 0, n
		s.over = c.r.IntN(2) == 0 // else the host does not know it yet
		s.in = nil
	}
}

// last sends all that is left.
func (c *client) last(w *world) {
	if c.at >= 0 && c.broken == 0 {
		s := c.socket(w)
		s.in, c.sending = append(s.in, c.sending...), nil
	}
}

// read answers what has come.
func (c *client) read(s *socket) {
	for c.taken < len(s.client) {
		frame, rest, err := gproxy.Next(s.client[c.taken:], w3gs.MaxFrame)
		if err != nil {
			panic(fmt.Sprintf("%s cannot read what it is sent: %v", c.name, err))
		}
		if frame == nil {
			return
		}
		c.taken = len(s.client) - len(rest)
		if frame[0] == gproxy.Magic {
			c.readProxy(frame)
		} else {
			c.packets++
			if c.packet(frame); w3gs.Frame(frame).Op() == w3gs.OpCountdownEnd {
				s.room = 60 + c.r.IntN(400) // so that turns wait for it
			}
		}
	}
}

func (c *client) send(p w3gs.Packet) { c.sending = p.AppendTo(c.sending) }

func (c *client) packet(frame w3gs.Frame) {
	body := frame.Body()
	switch frame.Op() {
	case w3gs.OpSlotInfoJoin:
		var p w3gs.SlotInfoJoin
		if err := p.Decode(body); err != nil {
			panic(err)
		}
		if c.pid = p.PID; c.version > 0 {
			c.sending = gproxy.Init{Version: c.version}.AppendTo(c.sending)
		}
	case w3gs.OpMapCheck:
		report := &w3gs.MapSize{Flag: w3gs.MapHave}
		if c.has {
			report.Size = mapSize
		}
		c.send(report)
	case w3gs.OpMapPart:
		var p w3gs.MapPart
		if err := p.Decode(body); err != nil || int(p.Offset) != len(c.file) {
			panic(fmt.Sprintf("%s gets a part at %d with %d bytes: %v", c.name, p.Offset, len(c.file), err))
		}
		c.file = append(c.file, p.Data...)
		c.send(&w3gs.MapPartOK{To: p.From, From: c.pid, Size: uint32(len(c.file))})
		if len(c.file) == mapSize {
			c.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: mapSize})
		}
	case w3gs.OpPingFromHost:
		c.send(&w3gs.PongToHost{Tick: binary.LittleEndian.Uint32(body)})
	case w3gs.OpCountdownEnd:
		c.playing = true
		c.send(&w3gs.LoadedSelf{})
	case w3gs.OpIncomingAction:
		if binary.LittleEndian.Uint16(body) > 0 {
			c.turns++
			c.send(&w3gs.Keepalive{Checksum: 7})
			if c.turns == 1 && c.version > 0 {
				c.ack()
			}
		}
	}
}

func (c *client) ack() {
	c.reported = c.packets
	c.sending = gproxy.Count{ID: gproxy.OpAck, Last: c.packets}.AppendTo(c.sending)
}

func (c *client) readProxy(frame []byte) {
	switch frame[1] {
	case byte(gproxy.OpInit):
		c.key = binary.LittleEndian.Uint32(frame[7:])
	case byte(gproxy.OpReject):
		panic(c.name + " is rejected")
	case byte(gproxy.OpChangeKey):
		c.key = binary.LittleEndian.Uint32(frame[4:])
	}
}

// say sends what nobody has asked for: actions, lines, packets that no host knows.
func (c *client) say(s *socket, n int) {
	if c.leaves > 0 && n == c.leaves {
		c.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLobby})
		return
	}
	switch k := c.r.IntN(20); {
	case c.pid == 0 || c.leaves > 0:
	case k == 0:
		c.sending = append(c.sending, 0xF7, 0xFE, 6, 0, 1, 2)
	case k == 1 && c.version > 0 && c.packets > c.reported:
		c.ack()
	case k == 2 && c.version > 0 && c.key != 0 && !c.playing:
		c.sending = gproxy.ChangeKey{Key: c.key + 1}.AppendTo(c.sending)
	case k == 3 && c.version > 1:
		c.sending = gproxy.Extended{}.AppendTo(c.sending)
	case k == 4 && c.version > 0:
		c.sending = append(c.sending, 0xF8, 77, 6, 0, 1, 2) // that no host knows, either
	case c.playing && c.turns > 2 && k > 7:
		data := make([]byte, 1+c.r.IntN(60))
		for i := range data {
			data[i] = byte(c.r.Uint32())
		}
		c.send(&w3gs.OutgoingAction{Data: data})
	case !c.playing && k == 8:
		c.send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: []byte{1, 2, 3, 4, 5}, From: c.pid, Flag: w3gs.ChatLobby, Text: fmt.Sprint("line ", n)}})
	}
}
