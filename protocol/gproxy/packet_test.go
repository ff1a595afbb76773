package gproxy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"w3host/protocol/w3gs"
)

type packet interface{ AppendTo(dst []byte) []byte }

// goldens are the packets of testdata/packets.hex.
var goldens = map[string]struct {
	packet packet
	client bool // a client says it
}{
	"Init":           {Init{1}, true},
	"Offer":          {Offer{Port: 6112, PID: 3, Key: 0x12345678, Empties: 2}, false},
	"Reconnect":      {Reconnect{PID: 3, Key: 0x12345678, Last: 300}, true},
	"Reconnect/game": {Reconnect{PID: 3, Key: 0x12345678, Last: 300, GameID: 7}, true},
	"Resumed":        {Count{OpReconnect, 300}, false},
	"Ack":            {Count{OpAck, 0xFFFF}, true},
	"Reject":         {Reject{NotFound}, false},
	"Extended":       {Extended{Seconds: 300}, true},
	"Extended/game":  {Extended{300, 7}, true},
	"ChangeKey":      {ChangeKey{0xDEADBEEF}, true},
	"List":           {List{ListFormat}, true},
	"Listed":         {Listed{ListsBusy, 30}, true},
}

func TestGolden(t *testing.T) {
	for name, frame := range goldenFrames(t) {
		t.Run(name, func(t *testing.T) {
			g, ok := goldens[name]
			if !ok {
				t.Fatal("no struct")
			}
			if got := g.packet.AppendTo([]byte("before")); !bytes.Equal(got, append([]byte("before"), frame...)) {
				t.Errorf("appended % X, want % X behind other bytes", got, frame)
			}
			if !g.client {
				return
			}
			if got, err := Decode(frame); err != nil || got != any(g.packet) {
				t.Errorf("decoded %+v, %v, want %+v", got, err, g.packet)
			}
			for n := range frame {
				if f, rest, err := Next(frame[:n], w3gs.MaxFrame); f != nil || err != nil || len(rest) != n {
					t.Errorf("%d bytes of a stream: frame % X, error %v", n, f, err)
				}
			}
			for n := w3gs.HeaderSize; n <= len(frame)+1; n++ {
				cut := append(bytes.Clone(frame), 0)[:n]
				got, err := Decode(cut)
				if whole := n == len(frame) || n == len(frame)-4 && strings.HasSuffix(name, "/game"); whole != (err == nil) {
					t.Errorf("%d bytes: %+v, %v", n, got, err)
				} else if err != nil && !errors.Is(err, ErrLength) {
					t.Errorf("%d bytes: %v", n, err)
				}
			}
		})
	}
	if len(goldenFrames(t)) != len(goldens) {
		t.Error("a struct has no golden")
	}
}

// TestNext: packets of both kinds follow each other on one connection.
func TestNext(t *testing.T) {
	game := (&w3gs.PingFromHost{Tick: 1}).AppendTo(nil)
	stream := append(append(Init{2}.AppendTo(nil), game...), Count{OpAck, 7}.AppendTo(nil)...)
	var ops []byte
	for len(stream) > 0 {
		frame, rest, err := Next(stream, w3gs.MaxFrame)
		if err != nil || frame == nil {
			t.Fatal(frame, err)
		}
		ops, stream = append(ops, frame[0], frame[1]), rest
	}
	if want := []byte{0xF8, 1, 0xF7, 1, 0xF8, 3}; !bytes.Equal(ops, want) {
		t.Errorf("packets % X, want % X", ops, want)
	}
	for _, bad := range [][]byte{{0xF8, 1, 3, 0}, {0xF8, 1, 0, 1}, {0xF8, 1, 65, 0}} {
		if _, _, err := Next(bad, w3gs.MaxFrame); !errors.Is(err, ErrLength) {
			t.Errorf("% X: %v", bad, err)
		}
	}
	if _, _, err := Next([]byte{0xF9, 1, 4, 0}, w3gs.MaxFrame); !errors.Is(err, w3gs.ErrMagic) {
		t.Errorf("another magic: %v", err)
	}
	if _, err := Decode([]byte{0xF8, 9, 4, 0}); !errors.Is(err, ErrOp) {
		t.Errorf("an unknown opcode: %v", err)
	}
}

// FuzzDecode: any bytes are a packet that is written as it was read, or an error.
func FuzzDecode(f *testing.F) {
	for _, frame := range goldenFrames(f) {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, rest, err := Next(data, w3gs.MaxFrame)
		if err != nil || frame == nil {
			if len(rest) != len(data) {
				t.Error("bytes were taken without a packet")
			}
			return
		}
		if frame[0] != Magic {
			return
		}
		p, err := Decode(frame)
		if err != nil {
			return
		}
		again, err := Decode(p.(packet).AppendTo(nil))
		if err != nil || again != p {
			t.Errorf("%+v became %+v, %v", p, again, err)
		}
	})
}

func goldenFrames(t testing.TB) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/packets.hex")
	if err != nil {
		t.Fatal(err)
	}
	frames := map[string][]byte{}
	section := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "== "); ok {
			section = s
			continue
		}
		b, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 0 {
			frames[section] = append(frames[section], b...)
		}
	}
	return frames
}
