package w3gs

import "testing"

var peerGoldens = []golden{
	{name: "PeerSet", dir: FromClient, want: &PeerSet{Peers: 0x0A}},
	{
		name: "PeerSet/1.29", dir: FromClient, alsoWhole: func(n int) bool { return n == 2 },
		want: &PeerSet{Peers: 0x00A00002, Wide: true},
	},
	rawGolden("PingFromOthers", OpPingFromOthers, 0x44, 0x33, 0x22, 0x11, 6, 0, 0, 0, 0xB8, 0x82, 1, 0),
	rawGolden("PongToOthers", OpPongToOthers, 0x44, 0x33, 0x22, 0x11),
	rawGolden("ClientInfo", OpClientInfo, 5, 0, 0, 0, 0, 0, 0, 0, 4, 0xFF, 0x0E, 0, 0, 0),
	rawGolden("ChatFromOthers", OpChatFromOthers, 1, 1, 6, byte(ChatGame), 1, 0, 0, 0, 'd', 'e', 'f', 0),
	rawGolden("MapQuery", OpMapQuery, 1, 0, 0, 0),
}

// rawGolden is a packet between clients, which is carried as it came, whatever is in it.
func rawGolden(name string, op Op, body ...byte) golden {
	return golden{name: name, dir: Peer, alsoWhole: func(int) bool { return true }, openEnd: true, want: &Raw{ID: op, Body: body}}
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
