package bncs

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"w3host/protocol/w3gs"
)

// The bytes come from a session with a PvPGN server 1.99.7.2.1 as written down
// for this project, and from its descriptions of layouts where it names no dump
// (marked "layout").
var golden = map[string]struct {
	packet Packet
	hex    string
}{
	"auth info": {
		&AuthInfo{Product: w3gs.ProductTFT, Version: 0x1A, Language: "enUS"},
		"FF503A00 00000000 36385849 50583357 1A000000 53556E65 00000000 00000000 09040000 09040000" +
			"55534100 556E697465642053746174657300",
	},
	"auth check": {
		&AuthCheck{Token: 0x11223344, Exe: Exe{0x011A0001, 0xF2E7CEC2, "war3.exe"}, Owner: "w"},
		"FF512300 44332211 01001A01 C2CEE7F2 00000000 00000000 776172332E65786500 7700",
	},
	"create (layout)": {
		&Create{Hash: PasswordHash("secret1"), Name: "bo"},
		"FF3D1B00 985a54dda4a9824fd799d72bd79f1337f5087996 626F00",
	},
	"null":          {Empty(IDNull), "FF000400"},
	"stop":          {Empty(IDStopAdvert), "FF020400"},
	"leave game":    {Empty(IDLeaveGame), "FF1F0400"},
	"ping":          {&Ping{0x01020304}, "FF250800 04030201"},
	"enter chat":    {&EnterChat{}, "FF0A0600 0000"},
	"join channel":  {&JoinChannel{ChannelCreate, "w3"}, "FF0C0B00 02000000 773300"},
	"chat":          {&Chat{"/w a b"}, "FF0E0B00 2F7720612062 00"},
	"game port":     {&GamePort{6113}, "FF450600 E117"},
	"list games":    {&ListGames{}, "FF091700 00E00000 00000000 00000000 14000000 000000"},
	"advertisement": {&Advertise{StatePublic, "Dump game", "9a2000000\x01", false}, "FF1C2E00 10000000 00000000 0100 4900 FF030000 00000000 44756D702067616D6500 00 39613230303030303001 00"},
	// the type as GHost++ sends it for !loadsg (bnet.cpp:2249)
	"advertisement of a saved game": {&Advertise{StatePrivate, "Dump game", "9a2000000\x01", true}, "FF1C2E00 11000000 00000000 00020000 FF030000 00000000 44756D702067616D6500 00 39613230303030303001 00"},
	"notify join (layout)": {
		&NotifyJoin{w3gs.ProductTFT, 26, "g"},
		"FF220F00 50583357 1A000000 6700 00",
	},
	"chat event": {
		&ChatEvent{EventWhisper, 2, 30, "bob", "sc"},
		"FF0F2300 04000000 02000000 1E000000 00000000 0DF0ADBA 0DF0ADBA 626F6200 736300",
	},
	"no such game": {&GameList{Status: 4}, "FF090C00 00000000 04000000"},
	"game list (layout)": {
		&GameList{Games: []ListedGame{{netip.MustParseAddrPort("1.2.3.4:6113"), ListedOpen, "g", "s"}}},
		"FF092D00 01000000 0000 0000 00000100 0200 17E1 01020304 0000000000000000 04000000 2B000000 6700 00 7300",
	},
}

func TestGoldenBytes(t *testing.T) {
	for name, g := range golden {
		t.Run(name, func(t *testing.T) {
			want, err := hex.DecodeString(strings.ReplaceAll(g.hex, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			got := Append(nil, g.packet)
			if !bytes.Equal(got, want) {
				t.Errorf("got  %X\nwant %X", got, want)
			}
			if _, ok := g.packet.(Empty); ok {
				return
			}
			back := blank(g.packet)
			if err := Frame(want).Decode(back); err != nil || !reflect.DeepEqual(back, g.packet) {
				t.Errorf("read back %+v, %v", back, err)
			}
			for n := range want[headerSize:] { // no prefix may crash the reader
				_ = Frame(want[:headerSize+n]).Decode(back)
			}
		})
	}
}

// blank is a new packet of the same type.
func blank(p Packet) Packet { return reflect.New(reflect.TypeOf(p).Elem()).Interface().(Packet) }

func TestReplies(t *testing.T) {
	for _, p := range []Packet{
		&AuthInfoReply{LogonType: 2, ServerToken: 9, File: "IX86ver1.mpq", Formula: "A=1"},
		&AuthCheckReply{Result: VersionRefused, Text: "x"}, &CreateReply{CreateExists},
		&Logon{Key: [32]byte{1}, Name: "bo"}, &LogonReply{Salt: [32]byte{2}, Key: [32]byte{3}},
		&Proof{[20]byte{4}}, &ProofReply{Result: AccountLocked, Text: "why"}, &EnterChatReply{"a", "b", "c"}, &AdvertiseReply{1},
	} {
		back := blank(p)
		f, rest, err := Next(Append(nil, p))
		if err != nil || len(rest) > 0 {
			t.Fatal(err)
		}
		if err := f.Decode(back); err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("read back %+v, %v; want %+v", back, err, p)
		}
	}
}

// A 0x53 that refuses may end after its result.
func TestShortRefusal(t *testing.T) {
	var p LogonReply
	if err := (Frame{magic, byte(IDLogon), 8, 0, 1, 0, 0, 0}).Decode(&p); err != nil || p.Result != 1 {
		t.Error(p.Result, err)
	}
}

func TestNext(t *testing.T) {
	whole := Append(Append(nil, Empty(IDNull)), &Chat{"hi"})
	f, rest, err := Next(whole)
	if err != nil || f.ID() != IDNull || len(f.Body()) != 0 {
		t.Fatal(f, err)
	}
	for n := range rest {
		if f, _, err := Next(rest[:n]); f != nil || err != nil {
			t.Errorf("%d bytes: %v, %v", n, f, err)
		}
	}
	for _, bad := range []string{"FE", "FF000300", "FF00FFFF"} {
		b, _ := hex.DecodeString(bad)
		if _, _, err := Next(b); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// Frames come as a connection gives their bytes, the longest too, and what follows them is kept.
func TestRead(t *testing.T) {
	long := append(make(Frame, 0, MaxFrame), magic, byte(IDChat), MaxFrame&0xFF, MaxFrame>>8)
	stream := slices.Concat(Append(nil, &Chat{"hi"}), long[:MaxFrame], Append(nil, Empty(IDNull)), []byte{magic, byte(IDNull)})
	for _, c := range []io.Reader{bytes.NewReader(stream), iotest.OneByteReader(bytes.NewReader(stream))} {
		from := bufio.NewReaderSize(c, MaxFrame)
		for _, want := range []int{7, MaxFrame, 4} {
			if f, err := Read(from); err != nil || len(f) != want {
				t.Fatalf("%d bytes, %v; want %d", len(f), err, want)
			}
		}
		if f, err := Read(from); err != io.EOF {
			t.Errorf("half a frame: %v, %v", f, err)
		}
	}
	if _, err := Read(bufio.NewReaderSize(strings.NewReader("H"), MaxFrame)); !errors.Is(err, errMagic) {
		t.Errorf("the first byte is wrong: %v", err)
	}
}

// More entries than bytes are not allocated for.
func TestLyingCount(t *testing.T) {
	var l GameList
	if err := (Frame{magic, byte(IDListGames), 10, 0, 255, 255, 255, 255, 1, 2}).Decode(&l); err == nil {
		t.Error("accepted")
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		b, _ := hex.DecodeString(strings.ReplaceAll(g.hex, " ", ""))
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, rest, err := Next(b)
		if err != nil || frame == nil {
			return
		}
		if len(frame)+len(rest) != len(b) {
			t.Fatal("bytes are lost")
		}
		for _, p := range []Packet{
			new(AuthInfo), new(AuthInfoReply), new(AuthCheck), new(AuthCheckReply), new(Create), new(CreateReply),
			new(Logon), new(LogonReply), new(Proof), new(ProofReply), new(EnterChatReply), new(JoinChannel), new(Chat),
			new(ChatEvent), new(GamePort), new(Advertise), new(AdvertiseReply), new(NotifyJoin), new(ListGames), new(GameList), new(Ping),
		} {
			_ = frame.Decode(p)
		}
	})
}

func FuzzGameStat(f *testing.F) {
	text, err := (&GameStat{Free: 9, GameID: 0x2A, Stat: w3gs.StatString{MapPath: `Maps\x.w3x`, HostName: "h"}}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(_ *testing.T, s string) { _, _ = ParseGameStat(s) })
}
