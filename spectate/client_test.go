package spectate

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const size = 1234 // of the map

// record makes the record of a game of two and an observer: turns of 100 ms with actions,
// parts, empty turns, lines and a leave. The hash of a turn is its number.
func record(t testing.TB, turns int) *Recording {
	t.Helper()
	var file buffer
	start := &replay.Start{
		GameName: "Evening", SlotCount: 4, RandomSeed: 7, StartSpots: 3,
		Players: []replay.Player{{PID: 3, Name: "Cid", Extra: []byte{0}}, {PID: 2, Name: "Bob", Extra: []byte{0}}, {PID: 1, Name: "Ann", Extra: []byte{0}}},
		Slots: []w3gs.Slot{
			{PID: 1, Status: w3gs.SlotOccupied},
			{PID: 2, Status: w3gs.SlotOccupied, Team: 1, Colour: 1},
			{Status: w3gs.SlotClosed},
			{PID: 3, Status: w3gs.SlotOccupied, Team: w3gs.ObserverTeam, Colour: w3gs.ObserverTeam},
		},
	}
	w, err := replay.NewWriter(&file, replay.HostOf(replay.ProductExpansion, 26), start)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	act := func(pid uint8, n int) []byte { return w3gs.AppendAction(nil, pid, bytes.Repeat([]byte{byte(n)}, 20)) }
	for n := 1; n <= turns; n++ {
		switch {
		case n%7 == 0:
			check(w.Part(act(1, n)))
		case n%11 == 0:
			check(w.Empty())
		case n%50 == 0:
			check(w.Chat(replay.Chat{PID: 1, Flag: w3gs.ChatGame, Text: fmt.Sprint("line ", n)}))
		case n == turns/2:
			check(w.Left(2, w3gs.LeaveLost))
		}
		check(w.Turn(100*time.Millisecond, act(2, n)))
		check(w.Checksum(uint32(n)))
	}
	check(w.Close())
	r, err := replay.NewReader(bytes.NewReader(file.b))
	check(err)
	recording, err := NewRecording(r, 3, 26, w3gs.MapCheck{Path: `Maps\x.w3x`, Size: size, HasSHA1: true})
	check(err)
	for rec, err := range r.Records() {
		check(err)
		recording.Add(rec)
	}
	return recording
}

// buffer is a file in memory.
type buffer struct{ b []byte }

func (f *buffer) WriteAt(p []byte, at int64) (int, error) {
	if more := int(at) + len(p) - len(f.b); more > 0 {
		f.b = append(f.b, make([]byte, more)...)
	}
	return copy(f.b[at:], p), nil
}

// viewer is a simulated client: it answers each turn after a round trip and as fast as it
// can compute them.
type viewer struct {
	t       *testing.T
	c       *Client
	now     time.Duration
	trip    time.Duration
	compute time.Duration // for a turn

	due     []time.Duration // when its answers reach the host
	got     []byte          // of the record
	lines   []string
	most    int // turns that waited for an answer
	ended   error
	over    bool
	hash    func(n int) uint32
	answers int
	lobby   []w3gs.Op
}

func join(t *testing.T, recording *Recording, o Options) *viewer {
	v := &viewer{t: t, hash: func(n int) uint32 { return uint32(n) }}
	var out Out
	v.c = New(0, recording, "Eve", w3gs.SockAddr{}, o, &out)
	v.take(&out)
	return v
}

func (v *viewer) send(p w3gs.Packet) {
	v.t.Helper()
	v.give(p.AppendTo(nil))
}

func (v *viewer) give(f w3gs.Frame) {
	v.t.Helper()
	var out Out
	if err := v.c.Packet(v.now, f, &out); err != nil {
		v.ended, v.over = err, true
		return
	}
	v.take(&out)
}

// take reads what the client is sent.
func (v *viewer) take(out *Out) {
	v.t.Helper()
	for data := out.Frames; len(data) > 0; {
		f, rest, err := w3gs.Next(data, w3gs.MaxFrame)
		if err != nil || f == nil {
			v.t.Fatalf("no packets: % X", data)
		}
		data = rest
		switch p, err := w3gs.Decode(f, w3gs.FromHost); p := p.(type) {
		case *w3gs.ChatFromHost:
			if p.From == 3 {
				v.lines = append(v.lines, p.Text)
				continue
			}
			v.got = append(v.got, f...)
		case *w3gs.IncomingAction:
			v.got = append(v.got, f...)
			if p.IncrementMillis > 0 {
				last := v.now
				if n := len(v.due); n > 0 {
					last = max(v.due[n-1], v.now+v.trip)
				} else {
					last += v.trip
				}
				v.due = append(v.due, last+v.compute)
				v.most = max(v.most, len(v.due))
			}
		case *w3gs.IncomingAction2, *w3gs.PlayerLeave:
			v.got = append(v.got, f...)
		case *w3gs.PingFromHost:
		case nil:
			v.t.Fatal(err)
		default:
			v.lobby = append(v.lobby, f.Op())
		}
	}
	if out.End {
		v.over, v.ended = true, out.Why
	}
}

// enter goes through the lobby.
func (v *viewer) enter() *viewer {
	v.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
	v.send(&w3gs.LoadedSelf{})
	return v
}

// run lets time pass until the client is out.
func (v *viewer) run(until time.Duration) {
	v.t.Helper()
	for steps := 0; !v.over && v.now < until; steps++ {
		next := v.c.Next()
		if len(v.due) > 0 && v.due[0] <= next {
			v.now = max(v.now, v.due[0])
			v.due = v.due[1:]
			v.answers++
			v.send(&w3gs.Keepalive{Checksum: v.hash(v.answers)})
			continue
		}
		if next < v.now || steps > 1_000_000 {
			v.t.Fatalf("at %v: a tick at %v is wanted", v.now, next)
		}
		v.now = next
		var out Out
		v.c.Tick(v.now, &out)
		v.take(&out)
	}
}

// TestEveryPart: at every speed and over every line a client gets the record byte for byte,
// with no more turns on the way than the window, and as fast as asked for.
func TestEveryPart(t *testing.T) {
	recording := record(t, 1200) // two minutes
	recording.End()
	for _, c := range []struct {
		speed         Speed
		trip, compute time.Duration
		least, most   time.Duration // until it is out
		waiting       int           // turns, at most
	}{
		{1, 50 * time.Millisecond, time.Millisecond, 120 * time.Second, 131 * time.Second, 3},
		{4, 50 * time.Millisecond, 12 * time.Millisecond, 30 * time.Second, 41 * time.Second, 10},
		{8, 300 * time.Millisecond, 12 * time.Millisecond, 15 * time.Second, 28 * time.Second, 60},
		{Max, 100 * time.Millisecond, 12 * time.Millisecond, 14 * time.Second, 28 * time.Second, 170}, // 8 times is all it can
		{Max, 0, 0, 0, 11 * time.Second, most},
		{2, 0, 200 * time.Millisecond, 240 * time.Second, 260 * time.Second, fewest}, // slower than the game
	} {
		v := join(t, recording, Options{Speed: c.speed})
		v.trip, v.compute = c.trip, c.compute
		v.enter().run(time.Hour)
		if !bytes.Equal(v.got, recording.frames) {
			t.Errorf("%+v: %d bytes came, want the %d of the record", c, len(v.got), len(recording.frames))
		}
		if v.ended != nil || !v.over || v.c.Compared() != 1200 || v.most > c.waiting {
			t.Errorf("%+v: over %v, %v; %d hashes compared, %d turns on the way", c, v.over, v.ended, v.c.Compared(), v.most)
		}
		if v.now < c.least || v.now > c.most {
			t.Errorf("%+v: it took %v", c, v.now)
		}
		if last := v.lines[len(v.lines)-1]; last != "The record of this game ends here, at 2:00." {
			t.Errorf("the last line is %q", last)
		}
	}
}

// TestSeatLeaves: the view ends where its player leaves. What the others play on is not shown, nor compared.
func TestSeatLeaves(t *testing.T) {
	recording := record(t, 20)
	frames := len(recording.frames)
	recording.Add(&replay.Record{Kind: replay.KindLeave, Leave: replay.Leave{PID: 3}})
	recording.Add(&replay.Record{Kind: replay.KindTurn, Increment: time.Minute})
	recording.Add(&replay.Record{Kind: replay.KindChecksum, Checksum: []byte{21, 0, 0, 0}})
	recording.End()
	v := join(t, recording, Options{Speed: Max}).enter()
	v.run(time.Hour)
	if len(v.got) != frames || v.c.Compared() != 20 || v.ended != nil {
		t.Errorf("%d of %d bytes came, %d hashes compared, %v", len(v.got), frames, v.c.Compared(), v.ended)
	}
	if want := "The record of this game ends here, at 0:02."; !slices.Contains(v.lines, want) {
		t.Errorf("read %q, not %q", v.lines, want)
	}
}

// TestTooLongTurn: a recording ends before a turn of the file that fits no packet.
func TestTooLongTurn(t *testing.T) {
	recording := record(t, 4)
	parts := len(recording.parts)
	recording.Add(&replay.Record{Kind: replay.KindTurn, Increment: 100 * time.Millisecond, Commands: make([]byte, w3gs.MaxFrame-2)})
	recording.Add(&replay.Record{Kind: replay.KindTurn, Increment: 100 * time.Millisecond})
	if len(recording.parts) != parts || !recording.ended {
		t.Errorf("%d parts after %d, ended %v", len(recording.parts), parts, recording.ended)
	}
}

// TestGreeting: the packets of the start, in their order, about everybody but the seat.
func TestGreeting(t *testing.T) {
	recording := record(t, 1)
	v := join(t, recording, Options{Speed: 1}).enter()
	want := []w3gs.Op{
		w3gs.OpSlotInfoJoin, w3gs.OpPlayerInfo, w3gs.OpPlayerInfo, w3gs.OpMapCheck, w3gs.OpSlotInfo,
		w3gs.OpCountdownStart, w3gs.OpCountdownEnd, w3gs.OpGameLoaded, w3gs.OpGameLoaded, w3gs.OpGameLoaded,
	}
	if !slices.Equal(v.lobby, want) {
		t.Errorf("%v, want %v", v.lobby, want)
	}
	if len(recording.others) != 2 || recording.others[0].Name != "Ann" || recording.others[1].Name != "Bob" {
		t.Errorf("introduced: %+v", recording.others)
	}
}

// TestRunningGame: nothing of a game that is played comes before the delay is over, whatever
// is asked for, and everything comes.
func TestRunningGame(t *testing.T) {
	whole := record(t, 1200)
	recording := *whole
	recording.parts, recording.frames, recording.time = nil, nil, 0
	const delay = 2 * time.Minute
	v := join(t, &recording, Options{Speed: Max})
	v.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
	made := map[int]time.Duration{} // when a part was there
	for at := range 12 {            // what has been played comes every 10 s
		v.now = time.Duration(at) * 10 * time.Second
		to := len(whole.parts) * (at + 1) / 12
		for i := len(recording.parts); i < to; i++ {
			made[i] = v.now
			recording.parts, recording.frames = append(recording.parts, whole.parts[i]), append(recording.frames, whole.frame(i)...)
		}
		recording.time = whole.parts[to-1].at
		if recording.Hold(v.now, delay); at == 11 {
			recording.End()
		}
		var out Out
		v.c.Tick(v.now, &out)
		v.take(&out)
		v.run(v.now + 10*time.Second - 1)
	}
	if v.lines[1] != "It begins in 1 minute 50 seconds." || len(v.got) > 0 {
		t.Errorf("%q, %d bytes came", v.lines, len(v.got))
	}
	v.run(2*time.Minute - 1)
	v.send(&w3gs.LoadedSelf{})
	for i := range recording.parts {
		if p := &recording.parts[i]; p.from > made[i]+delay || p.from < made[i]+delay-11*time.Second {
			t.Fatalf("part %d was there at %v and may be shown from %v", i, made[i], p.from)
		}
	}
	v.run(time.Hour)
	if !bytes.Equal(v.got, whole.frames) || v.now < delay+110*time.Second {
		t.Errorf("%d of %d bytes came until %v", len(v.got), len(whole.frames), v.now)
	}
}

// TestSpeeds: what is said is obeyed, answered or passed on.
func TestSpeeds(t *testing.T) {
	recording := record(t, 600)
	v := join(t, recording, Options{Speed: 1})
	v.compute = 90 * time.Millisecond
	v.enter().run(10 * time.Second)
	for _, c := range []struct{ line, want string }{
		{"!speed 4", "4 times as fast as it was played."},
		{"!speed 1", "As fast as it was played."},
		{"!speed max", "As fast as your game can."},
		{"!speed 65", "A speed is a number from 1 to 64, or max."},
		{"!speed", "A speed is a number from 1 to 64, or max."},
		{"!kick bob", "You can say !speed 1 to 64, !speed max and !where."},
		{"!where", "You are at "},
	} {
		v.run(v.now + 3*time.Second)
		v.send(&w3gs.ChatToHost{Chat: w3gs.Chat{From: 3, Flag: w3gs.ChatGame, Text: c.line}})
		if last := v.lines[len(v.lines)-1]; !strings.HasPrefix(last, c.want) {
			t.Errorf("%q is answered by %q, want %q", c.line, last, c.want)
		}
	}
	v.compute = 200 * time.Millisecond // it falls behind, and is then asked for less
	v.run(v.now + 3*time.Second)
	v.send(&w3gs.ChatToHost{Chat: w3gs.Chat{From: 3, Flag: w3gs.ChatGame, Text: "!speed 64"}})
	v.run(v.now + 10*time.Second)
	v.compute = 0
	v.send(&w3gs.ChatToHost{Chat: w3gs.Chat{From: 3, Flag: w3gs.ChatGame, Text: "!speed 1"}})
	before := v.c.At()
	if v.run(v.now + 10*time.Second); v.c.At()-before > 14*time.Second {
		t.Errorf("in 10 s at speed 1 it went on by %v", v.c.At()-before)
	}
	said := 0
	for range 100 { // a flood
		var out Out
		line := w3gs.ChatToHost{Chat: w3gs.Chat{From: 3, Flag: w3gs.ChatGame, Text: "gg"}}
		if err := v.c.Packet(v.now, line.AppendTo(nil), &out); err != nil {
			t.Fatal(err)
		}
		if out.Said == "Eve: gg" {
			said++
		}
	}
	if said == 0 || said > atOnce {
		t.Errorf("%d lines of a flood were passed on", said)
	}
}

// TestOut: who cannot go on is put out, with a line where there is somebody to read it.
func TestOut(t *testing.T) {
	recording := record(t, 1200)
	recording.End()
	for name, c := range map[string]struct {
		play func(v *viewer)
		why  error
		line string
		by   time.Duration
	}{
		"lacks the map": {func(v *viewer) {
			v.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: 0})
		}, nil, `You do not have this map: put Maps\x.w3x into your Maps folder first.`, readFor},
		"says nothing":  {func(*viewer) {}, errSilent, "", lobbyFor},
		"never loads":   {func(v *viewer) { v.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size}) }, errSilent, "", loadFor},
		"answers ahead": {func(v *viewer) { v.enter(); v.due = nil; sendMany(v, &w3gs.Keepalive{}, 50) }, errForged, "", 0},
		"never answers": {func(v *viewer) { v.enter().trip = time.Hour }, errSilent, "", silence + time.Second},
		"floods":        {func(v *viewer) { v.enter(); sendMany(v, &w3gs.PongToHost{}, 300) }, errFlood, "", 0},
		"floods as a proxy": {func(v *viewer) {
			for v.enter(); !v.over; {
				v.give(w3gs.Frame{0xF8, 1, 4, 0})
			}
		}, errFlood, "", 0},
		"another game":   {func(v *viewer) { v.enter().hash = func(n int) uint32 { return uint32(n + n/201) } }, errDiffers, "Your game came out differently at 0:20.", 40 * time.Second},
		"leaves":         {func(v *viewer) { v.enter(); v.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLost}) }, ErrLeft, "", 0},
		"damaged packet": {func(v *viewer) { v.enter(); v.send(&w3gs.Raw{ID: w3gs.OpKeepalive, Body: []byte{1}}) }, w3gs.ErrShort, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			v := join(t, recording, Options{Speed: 1})
			v.trip = 10 * time.Millisecond
			c.play(v)
			v.run(time.Hour)
			if !v.over || !errors.Is(v.ended, c.why) || v.now > c.by+loadFor/10 {
				t.Errorf("over %v at %v: %v, want %v", v.over, v.now, v.ended, c.why)
			}
			if c.line != "" && !slices.Contains(v.lines, c.line) {
				t.Errorf("no %q in %q", c.line, v.lines)
			}
		})
	}
}

func sendMany(v *viewer, p w3gs.Packet, n int) {
	for range n {
		if !v.over {
			v.send(p)
		}
	}
}

// TestBytesUnanswered: of long turns no more waits for a client's answers than MostBytes and a turn.
func TestBytesUnanswered(t *testing.T) {
	recording := record(t, 100)
	const long = 1200
	for range 6000 {
		recording.Add(&replay.Record{Kind: replay.KindTurn, Increment: 100 * time.Millisecond, Commands: w3gs.AppendAction(nil, 2, make([]byte, long))})
	}
	v := join(t, recording, Options{Speed: Max})
	v.trip, v.hash = 50*time.Millisecond, func(n int) uint32 { return uint32(min(n, 100)) }
	v.enter().run(3 * time.Second)
	answered := v.c.answered
	v.trip = time.Hour
	v.run(v.now + 5*time.Second)
	if n := recording.begin(v.c.sent) - recording.begin(v.c.answered); answered < 1000 || n < MostBytes/2 || n > MostBytes+2*long {
		t.Errorf("%d parts were answered, then %d bytes wait", answered, n)
	}
	if next := v.c.Next(); next <= v.now {
		t.Errorf("it wants a tick at %v, at %v", next, v.now)
	}
}

// TestChinese: lines are in the language asked for.
func TestChinese(t *testing.T) {
	v := join(t, record(t, 1), Options{Speed: 1, Language: texts.Chinese}).enter()
	if len(v.lines) != 1 || !strings.Contains(v.lines[0], "观看") {
		t.Errorf("%q", v.lines)
	}
}

// FuzzClient: whatever a client sends and whenever, its own part ends and nothing else.
func FuzzClient(f *testing.F) {
	recording := record(f, 100)
	f.Add([]byte("\x00\x42\x00\x23\x00\x27\x05\x28"), uint64(1))
	f.Fuzz(func(t *testing.T, ops []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		packets := []w3gs.Packet{
			&w3gs.MapSize{Flag: w3gs.MapHave, Size: size}, &w3gs.MapSize{Size: 1}, &w3gs.LoadedSelf{}, &w3gs.Keepalive{}, &w3gs.PongToHost{},
			&w3gs.ChatToHost{Chat: w3gs.Chat{Flag: w3gs.ChatGame, Text: "!speed 9"}}, &w3gs.OutgoingAction{Data: []byte{1}}, &w3gs.DropReq{},
		}
		var out Out
		c, now := New(0, recording, "Eve", w3gs.SockAddr{}, Options{Speed: 1}, &out), time.Duration(0)
		for _, op := range ops {
			now += time.Duration(rnd.IntN(1000)) * time.Millisecond
			frame := packets[int(op)%len(packets)].AppendTo(nil)
			if op >= 128 {
				frame = (&w3gs.Raw{ID: w3gs.Op(op), Body: []byte{op, 1, 2}}).AppendTo(nil)
			}
			if c.Packet(now, frame, &out) != nil {
				return
			}
			c.Tick(now, &out)
			if out.End {
				return
			}
			if c.Next() < 0 || c.waiting < 0 || c.sent < c.answered || len(out.Frames) > 1<<20 {
				t.Fatalf("%+v", c)
			}
		}
	})
}

// A line of a viewer is one line for others, which begins with the viewer's name, whatever the viewer has written.
func TestLineOfViewerIsPlain(t *testing.T) {
	recording := record(t, 300)
	watching := func() *viewer {
		v := join(t, recording, Options{})
		v.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: size})
		v.send(&w3gs.LoadedSelf{})
		v.lines = nil
		return v
	}
	for _, tc := range []struct{ said, heard string }{
		{"hi\n|cffff0000w3host|r: The record of this game ends here.\u200b", "Eve: hi w3host: The record of this game ends here."},
		{strings.Repeat("x ", 124) + "w3host", "Eve: " + strings.TrimSpace(strings.Repeat("x ", 124))},
	} {
		eve, other := watching(), watching()
		var out Out
		said := &w3gs.ChatToHost{Chat: w3gs.Chat{From: recording.Seat, To: []uint8{recording.Seat}, Flag: w3gs.ChatGame, Text: tc.said}}
		if err := eve.c.Packet(time.Second, said.AppendTo(nil), &out); err != nil {
			t.Fatal(err)
		}
		var heard Out
		other.c.Hear(out.Said, &heard)
		if other.take(&heard); !slices.Equal(other.lines, []string{tc.heard}) {
			t.Errorf("%q is heard as %q, want %q", tc.said, other.lines, tc.heard)
		}
	}
}

// Lines and names in a file that somebody else has recorded are shown as plain lines.
func TestRecordIsPlain(t *testing.T) {
	file := &replay.Reader{Start: replay.Start{
		GameName: "Eve|nning",
		Players:  []replay.Player{{PID: 2, Name: "An\nn"}, {PID: 3, Name: "Bob"}}, Slots: []w3gs.Slot{{PID: 2, Status: 2}, {PID: 3, Status: 2}},
	}}
	recording, err := NewRecording(file, 3, 26, w3gs.MapCheck{})
	if err != nil {
		t.Fatal(err)
	}
	recording.Add(&replay.Record{Kind: replay.KindChat, Chat: replay.Chat{PID: 2, Flag: w3gs.ChatGame, Text: "hi\n|cffff0000Bob|r: I give up"}})
	p, err := w3gs.Decode(w3gs.Frame(recording.frames), w3gs.FromHost)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.(*w3gs.ChatFromHost).Text; got != "hi Bob: I give up" || recording.others[0].Name != "An n" || recording.Game != "Evening" {
		t.Errorf("shown are the line %q, the name %q and the game %q", got, recording.others[0].Name, recording.Game)
	}
}
