package survive

import (
	"fmt"
	"maps"
	"net/netip"
	"testing"
	"time"

	"w3host/game"
	"w3host/hold"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// What an action costs more when its game outlives the process.
func BenchmarkInput(b *testing.B) {
	mem := hold.Of(make([]byte, 4096+1<<20))
	in := game.Input{Kind: game.Action, Link: 3, Bytes: 30, Data: make([]byte, 22)}
	for name, held := range map[string]bool{"journal": false, "ledger": true} {
		b.Run(name, func(b *testing.B) {
			l, enc, buf := BeginIn(mem), game.Journal{}, []byte(nil)
			for i := 0; b.Loop(); i++ {
				buf = enc.Append(buf[:0], time.Duration(i)*time.Microsecond, &in)
				if held {
					if l.end > 1<<19 {
						l.end = 0
					}
					l.Input(buf)
					l.Sum(7)
					l.Settled()
				}
			}
		})
	}
}

// What it takes to make a game of ten players again, each of whom acts three times a second.
func BenchmarkRevive(b *testing.B) {
	const players, minutes = 10, 6
	cfg := config()
	cfg.Lobby.Slots = nil
	for i := range uint8(players) {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, w3gs.Slot{Download: w3gs.DownloadUnknown, Team: i, Colour: i, Race: w3gs.RaceRandom | w3gs.RaceSelectable, Handicap: 100})
	}
	cfg.Lobby.PlayerSlots, cfg.Lobby.Pace = players, lobby.Defaults().Pace
	mem := hold.Of(make([]byte, 4096+8<<20))
	l, enc, out, sum, now := BeginIn(mem), game.Journal{}, new(game.Out), uint32(0), time.Duration(0)
	head, err := enc.Begin(nil, &cfg)
	if err != nil {
		b.Fatal(err)
	}
	l.Write(head)
	l.Head([]byte("{}"))
	m := game.New(cfg, out)
	playing, turns := false, 0
	written := map[game.LinkID]uint64{}
	step := func(in *game.Input) {
		if in.Link != 0 && in.Packet != nil {
			in.Bytes = len(in.Packet.AppendTo(nil))
		}
		l.Input(enc.Append(nil, now, in))
		m.Step(now, in, out)
		for i := range out.Ops {
			playing = playing || out.Ops[i].Kind == game.Play
			for pid := range out.Ops[i].To.All() {
				written[game.LinkID(pid)] += uint64(len(out.Ops[i].Frame))
			}
		}
		for i := range out.Facts {
			if _, ok := out.Facts[i].Fact.(*game.Turned); ok {
				turns++
			}
		}
		sum = out.Sum(sum)
		out.Reset()
		l.Sum(sum)
		l.Settled()
	}
	for link := range game.LinkID(players) {
		link++
		step(&game.Input{Kind: game.Join, Link: link, Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 1, byte(link)}), 6112), Packet: &w3gs.ReqJoin{Name: fmt.Sprintf("P%d", link)}})
		stream := l.Follow(link, 0)
		stream.Base(Streams{Written: written[link]})
		step(&game.Input{Kind: game.Packet, Link: link, Packet: &w3gs.MapSize{Flag: 1, Size: mapSize}})
	}
	tick := func() {
		at, ok := m.Next()
		if !ok {
			b.Fatal("it waits for nothing")
		}
		now = max(now, at).Truncate(time.Microsecond) + time.Microsecond
		step(&game.Input{Kind: game.Tick})
	}
	for !playing {
		tick()
	}
	for link := range game.LinkID(players) {
		step(&game.Input{Kind: game.Packet, Link: link + 1, Packet: &w3gs.LoadedSelf{}})
	}
	for n := range minutes * 600 {
		for before := turns; turns == before; {
			tick()
		}
		for link := range game.LinkID(players) {
			now += time.Millisecond
			step(&game.Input{Kind: game.Keepalive, Link: link + 1, Sum: uint32(n * 7919), Bytes: 9})
			if (n*3+int(link))%10 < 3 {
				step(&game.Input{Kind: game.Action, Link: link + 1, Data: make([]byte, 22), Bytes: 30})
			}
		}
	}
	left := l.Left()
	inputs := 0
	b.ReportAllocs()
	for b.Loop() {
		v, err := left.Revive(maps.Clone(written), nil, new(game.Out), func(*game.Stamped) {})
		if err != nil {
			b.Fatal(err)
		}
		inputs = v.Inputs
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(inputs), "ns/input")
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N)/minutes*60, "ms/hour")
}
