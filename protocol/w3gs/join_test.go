package w3gs

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

var joinTable = SlotTable{
	Slots: []Slot{
		{PID: 1, Download: 100, Status: SlotOccupied, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
		{Download: DownloadUnknown, Team: 1, Colour: 1, Race: RaceRandom | RaceSelectable, AI: AINormal, Handicap: 100},
	},
	RandomSeed:  0xDEADBEEF,
	Layout:      LayoutMelee,
	PlayerSlots: 2,
}

var joinGoldens = []golden{
	{name: "SlotInfoJoin", dir: FromHost, want: &SlotInfoJoin{
		SlotTable: joinTable, PID: 1, External: SockAddr{Port: 50593, IP: [4]byte{192, 168, 1, 20}},
	}},
	{name: "SlotInfoJoin/no address", dir: FromHost, want: &SlotInfoJoin{SlotTable: joinTable, PID: 1}},
	{name: "RejectJoin/invalid", dir: FromHost, want: &RejectJoin{Reason: RejectInvalid}},
	{name: "RejectJoin/full", dir: FromHost, want: &RejectJoin{Reason: RejectFull}},
	{name: "RejectJoin/started", dir: FromHost, want: &RejectJoin{Reason: RejectStarted}},
	{name: "RejectJoin/wrong key", dir: FromHost, want: &RejectJoin{Reason: RejectWrongKey}},
	{name: "PlayerInfo", dir: FromHost, want: &PlayerInfo{
		JoinCounter: 2, PID: 3, Name: "Grubby", Extra: []byte{0},
		External: SockAddr{Port: 6112, IP: [4]byte{203, 0, 113, 7}},
		Internal: SockAddr{Port: 6112, IP: [4]byte{192, 168, 0, 5}},
	}},
	{name: "PlayerInfo/virtual host", dir: FromHost, want: &PlayerInfo{
		JoinCounter: 2, PID: 2, Name: "|cFF4080C0w3host", Extra: []byte{0},
	}},
	{name: "ReqJoin", dir: FromClient, want: &ReqJoin{
		GameID: 1, EntryKey: 0x00C26939, ListenPort: 6112, JoinCounter: 1, Name: "Moon", Extra: []byte{0},
		Internal: SockAddr{Port: 6112, IP: [4]byte{10, 0, 0, 2}},
	}},
	{name: "ReqJoin/1.29", dir: FromClient, want: &ReqJoin{
		GameID: 0x10000007, ListenPort: 6113, JoinCounter: 4, Name: "Ümlaut", Extra: []byte{0, 0},
		Internal: SockAddr{Port: 6113, IP: [4]byte{10, 0, 0, 3}},
	}},
	{name: "ReqJoin/3.0", dir: FromClient, want: &ReqJoin{
		GameID: 1, ListenPort: 16000, JoinCounter: 1, Extra: []byte{0, 0},
		Internal: SockAddr{Port: 33759, IP: [4]byte{127, 0, 0, 1}},
	}},
}

// A name that is too long still decodes, so that the lobby can refuse it with a
// reason; one that never ends does not.
func TestReqJoinName(t *testing.T) {
	long := strings.Repeat("x", 4*MaxNameLen)
	var got ReqJoin
	if err := got.Decode(Frame((&ReqJoin{Name: long}).AppendTo(nil)).Body()); err != nil || got.Name != long {
		t.Errorf("got name %q, error %v", got.Name, err)
	}
	endless := append((&ReqJoin{}).AppendTo(nil)[HeaderSize:][:15], "name"...)
	if err := got.Decode(endless); !errors.Is(err, ErrUnterminated) {
		t.Errorf("got %v, want ErrUnterminated", err)
	}
}

func TestReqJoinExtraBound(t *testing.T) {
	frame := Frame((&ReqJoin{Name: "Moon", Extra: make([]byte, maxJoinExtra)}).AppendTo(nil))
	if err := new(ReqJoin).Decode(frame.Body()); err != nil {
		t.Errorf("%d extra bytes: %v", maxJoinExtra, err)
	}
	frame = Frame((&ReqJoin{Name: "Moon", Extra: make([]byte, maxJoinExtra+1)}).AppendTo(nil))
	if err := new(ReqJoin).Decode(frame.Body()); !errors.Is(err, ErrCount) {
		t.Errorf("%d extra bytes: got %v, want ErrCount", maxJoinExtra+1, err)
	}
}

func TestSockAddr(t *testing.T) {
	for _, tt := range []struct {
		give string
		want SockAddr
	}{
		{"192.168.1.20:6112", SockAddr{Port: 6112, IP: [4]byte{192, 168, 1, 20}}},
		{"[::ffff:10.0.0.1]:7000", SockAddr{Port: 7000, IP: [4]byte{10, 0, 0, 1}}},
		{"[2001:db8::1]:6112", SockAddr{}},
	} {
		got := SockAddrFrom(netip.MustParseAddrPort(tt.give))
		if got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.give, got, tt.want)
		}
	}
	if got := SockAddrFrom(netip.AddrPort{}); got != (SockAddr{}) {
		t.Errorf("no address: got %v", got)
	}
}

// What clients leave in a sockaddr_in they did not fill in is no fault.
func TestSockAddrTolerance(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  [sockAddrLen]byte
		want SockAddr
	}{
		"rubbish at the end":  {[16]byte{2, 0, 0x17, 0xE0, 10, 0, 0, 2, 0xCC, 0xCC, 0xCC, 0xCC, 1, 2, 3, 4}, SockAddr{Port: 6112, IP: [4]byte{10, 0, 0, 2}}},
		"another family":      {[16]byte{23, 0, 0x17, 0xE0, 10, 0, 0, 2}, SockAddr{}},
		"family and no value": {[16]byte{2}, SockAddr{}},
	} {
		var got SockAddr
		if err := read(tt.raw[:], OpReqJoin).sockAddr(&got).done(); got != tt.want || err != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}
