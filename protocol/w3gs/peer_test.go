package w3gs

import "testing"

var peerGoldens = []golden{
	{name: "PingFromOthers", dir: Peer, want: &PingFromOthers{Ping: 0x11223344, PeerSet: 6, Ticks: 99000}},
	{name: "PongToOthers", dir: Peer, want: &PongToOthers{Ping: 0x11223344}},
	{name: "ClientInfo", dir: Peer, want: &ClientInfo{JoinCounter: 5, PID: 4, Unknown9: 0xFF, PeerSet: 0x0E}},
	{name: "PeerSet", dir: FromClient, want: &PeerSet{Peers: 0x0A}},
	{
		name: "PeerSet/1.29", dir: FromClient, alsoWhole: func(n int) bool { return n == 2 },
		want: &PeerSet{Peers: 0x00A00002, Wide: true},
	},
	{
		name: "MapQuery", dir: Peer, alsoWhole: func(int) bool { return true }, openEnd: true,
		want: &Raw{ID: OpMapQuery, Body: []byte{1, 0, 0, 0}},
	},
}

// A packet that nobody has explained is copied: it outlives the frame.
func TestRawCopies(t *testing.T) {
	body := []byte{1, 2, 3}
	p := Raw{ID: OpMapQuery}
	if err := p.Decode(body); err != nil {
		t.Fatal(err)
	}
	body[0] = 9
	if p.Body[0] != 1 {
		t.Error("the body aliases the frame")
	}
}
