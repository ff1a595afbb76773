package game

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/lobby"
	"w3host/past"
	"w3host/protocol/w3gs"
)

var recordSeeds = flag.Int("records", 200, "how many games the simulation of records goes on with")

// TestGoesOnFromRecord plays games, and goes on with their replays, from the end or from some time: each client must be
// sent the packets of the record up to there, byte for byte, and then the same as all others, whoever
// crashes, leaves, has not come or is slow meanwhile; and the inputs give the same orders when they are
// run again.
func TestGoesOnFromRecord(t *testing.T) {
	must := map[string]int{
		"came back": 400, "came back behind a lag screen": 100, "went on": 180, "from some time": 80, "somebody had left": 20, "somebody did not come": 50,
		"crashed while it was shown the game": 20, "was shown an empty turn": 300, "was shown a leave": 60, "was shown a turn of several packets": 30,
		"was put out, having another game": 5, "a hash is not known": 1000, "several blocks": 20,
	}
	playSeeds(t, *recordSeeds, 300, must, func(seed uint64) (map[string]int, error) {
		g := goOn(seed, nil)
		return g.seen, g.err
	})
}

// TestRecordControls: what the simulation is to find is found.
func TestRecordControls(t *testing.T) {
	for name, spoil := range recordFaults {
		found := false
		for seed := range uint64(60) {
			if found = found || goOn(seed, spoil).err != nil; found {
				break
			}
		}
		if !found {
			t.Errorf("%s, and nothing was found", name)
		}
	}
}

// recordFaults change what a client is shown.
var recordFaults = map[string]func(n int, f w3gs.Frame) [][]byte{
	"two turns are one": func(_ int, f w3gs.Frame) [][]byte {
		if f.Op() == w3gs.OpIncomingAction && len(f) == 6 && f[4] == 100 {
			return [][]byte{append(append([]byte(nil), f[:4]...), 200, 0)}
		}
		return [][]byte{f}
	},
	"a turn is left out": func(_ int, f w3gs.Frame) [][]byte {
		if f.Op() == w3gs.OpIncomingAction && f[4] != 0 && crc32.ChecksumIEEE(f)%5 == 0 {
			return nil
		}
		return [][]byte{f}
	},
	"an empty turn is left out": func(_ int, f w3gs.Frame) [][]byte {
		if f.Op() == w3gs.OpIncomingAction && f[4] == 0 && f[5] == 0 {
			return nil
		}
		return [][]byte{f}
	},
	"a leave is left out": func(_ int, f w3gs.Frame) [][]byte {
		if f.Op() == w3gs.OpPlayerLeave {
			return nil
		}
		return [][]byte{f}
	},
}

// memory is a file.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if n := int(at) + len(p); n > len(m.b) {
		m.b = append(m.b, make([]byte, n-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

// recordOf writes the replay of a game, with most of the hashes that its clients compute, and reads it
// up to a time. want has the packets that clients must be sent of it.
func recordOf(g *returnGame, until time.Duration, r *rand.Rand) (rec *past.Record, want [][]byte, err error) {
	start := &replay.Start{Settings: replay.Settings{MapPath: "x"}, Slots: g.m.started.Table.Slots, RandomSeed: 7}
	for _, p := range g.m.started.Players {
		start.Players = append(start.Players, replay.Player{PID: p.PID, Name: p.Name, Extra: []byte{0}})
	}
	var file memory
	w, err := replay.NewWriter(&file, replay.HostOf("W3XP", 26), start)
	if err != nil {
		return nil, nil, err
	}
	at, crc, wanted := time.Duration(0), uint32(0), true
	for i, f := range g.master {
		lasts := time.Duration(0)
		switch op := w3gs.Op(f[1]); {
		case op == w3gs.OpPlayerLeave:
			_ = w.Left(f[4], w3gs.LeaveReason(binary.LittleEndian.Uint32(f[5:])))
		case op == w3gs.OpIncomingAction2:
			_ = w.Part(f[8:])
		case f[4] == 0 && f[5] == 0:
			_ = w.Empty()
			continue
		default:
			lasts = time.Duration(binary.LittleEndian.Uint16(f[4:])) * time.Millisecond
			_ = w.Turn(lasts, f[min(8, len(f)):])
		}
		crc = crc32.Update(crc, crc32.IEEETable, f)
		if lasts == 0 {
			continue
		}
		if wanted = wanted && (until == 0 || at < until); wanted {
			want = g.master[: i+1 : i+1]
		}
		if at += lasts; r.IntN(5) == 0 {
			_ = w.NoChecksum()
			g.seen["a hash is not known"]++
		} else {
			_ = w.Checksum(crc)
		}
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	in, err := replay.NewReader(bytes.NewReader(file.b))
	if err == nil {
		rec, err = past.ReadRecord(in, until)
	}
	return rec, want, err
}

// goOn plays a game, and goes on with its replay.
func goOn(seed uint64, spoil func(int, w3gs.Frame) [][]byte) *returnGame {
	was := playReturns(seed, false, nil)
	r := rand.New(rand.NewPCG(seed, 30))
	until := time.Duration(0)
	length := time.Duration(0) // of what a client without a proxy was sent
	for _, f := range was.master {
		if w3gs.Op(f[1]) == w3gs.OpIncomingAction {
			length += time.Duration(binary.LittleEndian.Uint16(f[4:])) * time.Millisecond
		}
	}
	if length == 0 && was.err == nil { // nobody has loaded
		return &returnGame{}
	}
	if r.IntN(2) == 0 && length > 2*time.Second {
		until = 1 + time.Duration(r.Int64N(int64(length-time.Second)))
		was.seen["from some time"]++
	}
	rec, want, err := recordOf(was, until, r)
	seen := map[string]int{"a hash is not known": was.seen["a hash is not known"], "from some time": was.seen["from some time"]}
	if was.err != nil || err != nil {
		return &returnGame{err: fmt.Errorf("the game before: %w, %w", was.err, err)}
	}
	table := was.m.started.Table
	restored := &Restored{Save: &savedgame.Save{}, Record: rec, Players: map[int]lobby.Place{}}
	restored.Table, restored.MapPath = table, `Maps\x.w3x`
	cfg := returnConfig(r)
	if cfg.Return.On = r.IntN(2) == 0; !cfg.Return.On {
		cfg.Return = Return{}
	}
	var coming []*returnPlayer
	for _, p := range was.m.started.Players {
		gone := rec.Left.Has(p.PID)
		restored.Players[p.Slot] = lobby.Place{Name: p.Name, Fake: gone, Gone: gone}
		if gone {
			seen["somebody had left"]++
			continue
		}
		coming = append(coming, &returnPlayer{
			name: p.Name, r: rand.New(rand.NewPCG(r.Uint64(), 1)), trip: time.Duration(1+r.IntN(150)) * time.Millisecond,
			loads: time.Duration(r.IntN(3000)) * time.Millisecond, speed: time.Duration(1+r.IntN(12)) * time.Millisecond,
		})
	}
	if len(coming) == 0 {
		return &returnGame{seen: seen}
	}
	r.Shuffle(len(coming), func(i, j int) { coming[i], coming[j] = coming[j], coming[i] })
	if n := 1 + r.IntN(2*len(coming)); n < len(coming) {
		seen["somebody did not come"]++
		coming = coming[:n]
	}
	cfg = cfg.ForSave(restored)
	g := newReturnGame(&cfg, r)
	g.seen, g.spoil, g.players, g.master = seen, spoil, coming, want
	for i, p := range coming {
		g.after(time.Duration(i)*100*time.Millisecond, func() { g.join(p) })
	}
	end := 15*time.Second + time.Duration(r.IntN(15))*time.Second
	g.after(4*time.Second, func() { g.step(Input{Kind: Command, Line: "start force", Caller: operator}) })
	g.after(end, func() { g.step(Input{Kind: Stop, Why: "the end"}) })
	for _, p := range coming {
		g.fate(p, end)
		if p.r.IntN(8) == 0 { // it runs another game
			g.after(3*time.Second, func() { p.client.odd = true })
		}
	}
	g.run(end)
	if len(rec.Blocks) > 1 {
		g.seen["several blocks"]++
	}
	if len(g.master) > len(want) {
		g.seen["went on"]++
	}
	if was, is := table.AppendTo(nil), g.m.started.Table.AppendTo(nil); !bytes.Equal(was, is) {
		g.fail("the table of the start is % X, it was % X", is, was)
	}
	head, err := json.Marshal(cfg)
	if err != nil || json.Unmarshal(head, &cfg) != nil {
		g.fail("the configuration cannot be kept: %v", err)
	}
	g.rerun(cfg)
	return g
}
