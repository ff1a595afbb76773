package host

import (
	"net"
	"testing"

	"github.com/rs/zerolog"

	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/w3gs"
)

// TestNothingOfTheMapBehindTheLastPacket: the packet that ends a stay in the
// lobby takes with it what waits of the map, before any drain can write more.
func TestNothingOfTheMapBehindTheLastPacket(t *testing.T) {
	for _, tc := range []struct {
		packet w3gs.Packet
		ends   bool
	}{
		{&w3gs.LeaveAck{}, true},
		{&w3gs.KickPlayer{}, true},
		{&w3gs.CountdownStart{}, true},
		{&w3gs.PingFromHost{}, false},
		{&w3gs.ChatFromHost{Chat: w3gs.Chat{Text: "hello"}}, false},
	} {
		g, c := stuckConn(t)
		g.sendTo(lobby.PIDSet(c.pid), tc.packet)
		if _, pieces := c.backlog(); (pieces == 0) != tc.ends {
			t.Errorf("behind %v wait %d bytes of the map", tc.packet.Op(), pieces)
		}
	}
}

// stuckConn is a player who reads nothing, while parts of the map wait for him.
func stuckConn(t *testing.T) (*Game, *conn) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newConn(&Host{log: zerolog.Nop(), opts: Options{Limits: Limits{OutQueue: 1 << 16}}}, server.(*net.TCPConn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cut(nil) })
	parts, err := mapxfer.NewParts(make([]byte, 64<<20)) // more than the kernel takes
	if err != nil {
		t.Fatal(err)
	}
	c.pid = 2
	c.sendPiece(piece{parts: parts, end: parts.Size(), to: 2, from: 1})
	g := &Game{}
	g.conns[2] = c
	return g, c
}
