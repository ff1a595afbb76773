package play

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

func lobby(id, version uint32, name string) []byte {
	return (&w3gs.GameInfo{
		Product: w3gs.ProductTFT, Version: version, GameID: id, EntryKey: id, Name: name, Unknown: 1, Slots: 12, SlotsOpen: 12, Port: 25,
		Stat: w3gs.StatString{MapPath: `Maps\x.w3x`, HostName: "h\x1b[31m"},
	}).AppendTo(nil)
}

var end = gproxy.Listed{Seconds: 5}.AppendTo(nil)

// TestAnswer: a lobby is joined where the host was asked, whatever port it names, and its
// name holds nothing that a terminal or the game would obey.
func TestAnswer(t *testing.T) {
	a, err := readAnswer(bytes.NewReader(append(append(lobby(1, 26, "a\x1b[2J\u202eb\n"), lobby(2, 26, "\x07")...), end...)))
	if err != nil || len(a.lobbies) != 2 || a.nextAsk != 5*time.Second {
		t.Fatal(a, err)
	}
	if a.lobbies[0].Name != "a[2Jb" || a.lobbies[1].Name != "?" || a.lobbies[0].Stat.HostName != "h[31m" {
		t.Errorf("names %q %q %q", a.lobbies[0].Name, a.lobbies[1].Name, a.lobbies[0].Stat.HostName)
	}
	other := lobby(3, 26, "of another game")
	copy(other[4:], "3RAW")
	locked := (&w3gs.GameInfo{Product: w3gs.ProductTFT, Version: 26, GameID: 1, Name: "\xffb", Password: "x", Port: 25}).AppendTo(nil)
	a, err = readAnswer(bytes.NewReader(slices.Concat(lobby(2, 26, "a"), other, locked, gproxy.Listed{}.AppendTo(nil))))
	if err != nil || len(a.lobbies) != 3 || a.nextAsk != soonest || a.lobbies[2].Password != "" || a.lobbies[2].Name != "b" {
		t.Fatal(a, err)
	}
	s := &session{opts: Options{}}
	at := netip.MustParseAddrPort("192.0.2.1:6500")
	list := a.found(at, w3gs.ProductTFT)
	s.place(list, at)
	if len(list) != 2 || list[0].Info.GameID != 1 || list[1].Info.GameID != 2 {
		t.Fatalf("in the list: %+v", list)
	}
	if list[0].JoinAddr() != at || s.ownPort(1) != 25 {
		t.Errorf("joins go to %v, own port %d", list[0].JoinAddr(), s.ownPort(1))
	}
}

// endless repeats what it is made of.
type endless struct{ data, left []byte }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.left) == 0 {
		e.left = e.data
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// TestHostileAnswers: garbage, half an answer, an endless one and thousands of lobbies do
// no harm.
func TestHostileAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		r    io.Reader
		want error
	}{
		"nothing":        {strings.NewReader(""), errNoList},
		"text":           {strings.NewReader("HTTP/1.1 400 Bad Request\r\n\r\n"), errNoList},
		"half a lobby":   {bytes.NewReader(lobby(1, 26, "a")[:50]), errNoList},
		"no end":         {bytes.NewReader(lobby(1, 26, "a")), errNoList},
		"another packet": {bytes.NewReader((&w3gs.PingFromHost{}).AppendTo(nil)), errNoList},
		"less than none": {bytes.NewReader([]byte{0xF7, 0x30, 3, 0}), errNoList},
		"a lobby's body": {bytes.NewReader(slices.Concat([]byte{0xF7, 0x31}, lobby(1, 26, "a")[2:], end)), errNoList},
		"a broken lobby": {bytes.NewReader(append([]byte{0xF7, 0x30, 8, 0, 1, 2, 3, 4}, end...)), errNoList},
		"a broken end":   {bytes.NewReader([]byte{0xF8, end[1], 5, 0, 0}), errNoList},
		"another end":    {bytes.NewReader(gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil)), errNoList},
		"zero length":    {bytes.NewReader([]byte{0xF7, 0x30, 0, 0}), errNoList},
		"endless":        {&endless{data: lobby(1, 26, "a")}, errLong},
		"endless junk":   {&endless{data: []byte{0xF7, 0x30, 0xFF, 0xFF}}, errNoList},
	} {
		if a, err := readAnswer(test.r); !errors.Is(err, test.want) || len(a.lobbies) > maxLobbies {
			t.Errorf("%s: %d lobbies, %v, want %v", name, len(a.lobbies), err, test.want)
		}
	}
	var many []byte
	for id := range uint32(1500) {
		many = append(many, lobby(id+1, 26, "a")...)
	}
	if a, err := readAnswer(bytes.NewReader(append(many, end...))); err != nil || len(a.lobbies) != maxLobbies {
		t.Errorf("1500 lobbies: %d, %v", len(a.lobbies), err)
	}
	var unknown []byte
	for _, v := range []uint32{0, 6, 300, 1 << 31} {
		unknown = append(unknown, lobby(1, v, "a")...)
	}
	if a, err := readAnswer(bytes.NewReader(append(unknown, end...))); err != nil || len(a.lobbies) != 0 {
		t.Errorf("versions that there are not: %+v, %v", a.lobbies, err)
	}
	many = nil
	for v := range uint32(100) {
		many = append(many, lobby(1, v, "a")...)
	}
	late := gproxy.Listed{Seconds: 1 << 30}.AppendTo(nil)
	if a, err := readAnswer(bytes.NewReader(append(many, late...))); err != nil || len(a.lobbies) != maxVersions || a.nextAsk != latest {
		t.Errorf("100 versions: %d, %v, %v", len(a.lobbies), a.nextAsk, err)
	}
}

// TestSilentHost: asking a host that takes the question and says nothing ends with its context.
func TestSilentHost(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		t.Cleanup(func() { conn.Close() })
		question := gproxy.List{Format: gproxy.ListFormat}.AppendTo(nil)
		if _, err := io.ReadFull(conn, question); err != nil {
			t.Error(err)
		}
	}()
	if a, _, err := ask(ctx, l.Addr().String()); err == nil {
		t.Errorf("a silent host answers %+v", a)
	}
}

// FuzzAnswer: any bytes are an answer within its bounds, or an error.
func FuzzAnswer(f *testing.F) {
	f.Add(append(lobby(1, 26, "a"), end...))
	f.Add(end)
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readAnswer(bytes.NewReader(data))
		if len(a.lobbies) > maxLobbies || err == nil && (a.nextAsk < soonest || a.nextAsk > latest) {
			t.Errorf("%d lobbies, again after %v", len(a.lobbies), a.nextAsk)
		}
		for _, l := range a.lobbies {
			if strings.ContainsAny(l.Name, "\x00\x1b\n") || l.Name == "" {
				t.Errorf("the name %q", l.Name)
			}
		}
	})
}
