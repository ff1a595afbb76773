package w3gs

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

var chatGoldens = []golden{
	{name: "ChatFromHost/lobby", dir: FromHost, want: &ChatFromHost{Chat{To: []uint8{1, 3}, From: 2, Flag: ChatLobby, Text: "gl hf"}}},
	{name: "ChatFromHost/game", dir: FromHost, want: &ChatFromHost{Chat{To: []uint8{2}, From: 1, Flag: ChatGame, Scope: ScopeAll, Text: "-ap"}}},
	{name: "ChatFromHost/team", dir: FromHost, want: &ChatFromHost{Chat{To: []uint8{2}, From: 1, Flag: ChatTeam, Value: 1}}},
	{name: "ChatToHost/lobby", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{1, 2, 3}, From: 4, Flag: ChatLobby, Text: "привет"}}},
	{name: "ChatToHost/team", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{1}, From: 2, Flag: ChatTeam, Value: ObserverTeam}}},
	{name: "ChatToHost/colour", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{1}, From: 2, Flag: ChatColour, Value: 11}}},
	{name: "ChatToHost/race", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{1}, From: 2, Flag: ChatRace, Value: uint8(RaceRandom)}}},
	{name: "ChatToHost/handicap", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{1}, From: 2, Flag: ChatHandicap, Value: 50}}},
	{name: "ChatToHost/allies", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{3, 5}, From: 2, Flag: ChatGame, Scope: ScopeAllies, Text: "go mid"}}},
	{name: "ChatToHost/observers", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{9}, From: 8, Flag: ChatGame, Scope: ScopeObservers, Text: "nice"}}},
	{name: "ChatToHost/private", dir: FromClient, want: &ChatToHost{Chat{To: []uint8{5}, From: 2, Flag: ChatGame, Scope: ScopeSlot + 4, Text: "psst"}}},
	{name: "ChatToHost/empty", dir: FromClient, want: &ChatToHost{Chat{From: 2, Flag: ChatLobby}}},
}

func TestChatRefusals(t *testing.T) {
	line := func(text string) []byte { return append([]byte{1, 1, 2, byte(ChatLobby)}, text...) }
	for _, tt := range []struct {
		name   string
		body   []byte
		want   error
		offset int
	}{
		{"more receivers than bytes", []byte{255, 1, 2, 0x10, 0}, ErrCount, 1},
		{"unknown flag", []byte{1, 1, 2, 0x15, 0}, ErrValue, 4},
		{"no NUL", line("gl hf"), ErrUnterminated, 4},
		{"text over 254 bytes", line(strings.Repeat("x", MaxChatLen+1) + "\x00"), ErrTooLong, 4},
		{"bytes behind the NUL", line("gl\x00hf\x00"), ErrTrailing, 7},
	} {
		err := new(ChatToHost).Decode(tt.body)
		var e *DecodeError
		if !errors.As(err, &e) || !errors.Is(err, tt.want) || e.Offset != tt.offset || e.Op != OpChatToHost {
			t.Errorf("%s: got %v, want %v at byte %d", tt.name, err, tt.want, tt.offset)
		}
	}
	if err := new(ChatToHost).Decode(line(strings.Repeat("x", MaxChatLen) + "\x00")); err != nil {
		t.Errorf("254 bytes of text: %v", err)
	}
}

// A NUL in a text would end it early for the reader and leave bytes over.
func TestAppendTextStopsAtNUL(t *testing.T) {
	p := ChatFromHost{Chat{To: []uint8{1}, From: 2, Flag: ChatLobby, Text: "gl\x00hf"}}
	var got ChatFromHost
	if err := got.Decode(Frame(p.AppendTo(nil)).Body()); err != nil || got.Text != "gl" {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

// A list that its count cannot hold is a bug, not a packet.
func TestAppendListBound(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("256 receivers were appended")
		}
	}()
	(&ChatFromHost{Chat{To: make([]uint8, 256), Flag: ChatLobby}}).AppendTo(nil)
}

// The lines of a chat packet come from clients, flags included.
func TestUnknownChatFlagIsAppended(t *testing.T) {
	p := ChatFromHost{Chat{To: []uint8{1}, From: 2, Flag: 0x15, Text: "x"}}
	want := []byte{0xF7, 0x0F, 10, 0, 1, 1, 2, 0x15, 'x', 0}
	if got := p.AppendTo(nil); !bytes.Equal(got, want) {
		t.Errorf("got % X, want % X", got, want)
	}
}
