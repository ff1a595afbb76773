package watch

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/spectate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var check = w3gs.MapCheck{Path: `Maps\Download\x.w3x`, Size: 1000, HasSHA1: true}

// serve shows one game, number 7 with the key 9, until the test ends.
func serve(t *testing.T, file string, delay time.Duration, most int) (s *Server, log *testkit.Log) {
	t.Helper()
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	log = new(testkit.Log)
	s, err = New(Options{Listener: listener, Most: most, Past: spectate.Options{Speed: spectate.Max}, Log: zerolog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	s.Add(&Show{Number: 7, Key: 9, File: file, Delay: delay, Tape: func(r *replay.Reader) (*spectate.Recording, error) {
		return spectate.NewRecording(r, 1, w3gs.DefaultVersion, check)
	}})
	go s.RunGuarded()
	t.Cleanup(func() {
		s.Shutdown(time.Second)
		<-s.Done()
		listener.Close()
	})
	return s, log
}

// dial connects a client to a server.
func dial(t *testing.T, s *Server) *testkit.Client {
	t.Helper()
	c := testkit.Dial(t, s.opts.Listener.Addr().(*net.TCPAddr).AddrPort())
	go c.Listen() // ends with the connection
	return c
}

// join has a client say whom it watches.
func join(t *testing.T, s *Server, id, key uint32, name string) *testkit.Client {
	t.Helper()
	c := dial(t, s)
	c.Send((&w3gs.ReqJoin{GameID: id, EntryKey: key, Name: name, Extra: []byte{0}}).AppendTo(nil))
	return c
}

// begin begins a record of a game of two.
func begin(t *testing.T, name string) (*os.File, *replay.Writer) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	w, err := replay.NewWriter(f, replay.HostOf(replay.ProductExpansion, int(w3gs.DefaultVersion)), &replay.Start{
		GameName: "Evening", SlotCount: 2, StartSpots: 2,
		Players: []replay.Player{{PID: 1, Name: "Ann", Extra: []byte{0}}, {PID: 2, Name: "Bob", Extra: []byte{0}}},
		Slots: []w3gs.Slot{
			{PID: 1, Download: 100, Status: w3gs.SlotOccupied, Handicap: 100}, {PID: 2, Download: 100, Status: w3gs.SlotOccupied, Team: 1, Colour: 1, Handicap: 100},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, w
}

// play records some turns with so many bytes of actions each.
func play(t *testing.T, w *replay.Writer, turns, bytes int) {
	t.Helper()
	for range turns {
		if err := w.Turn(50*time.Millisecond, w3gs.AppendAction(nil, 2, make([]byte, bytes))); err != nil {
			t.Fatal(err)
		}
	}
}

// recorded is the file of a game that is over.
func recorded(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "game.w3g")
	_, w := begin(t, file)
	play(t, w, 40, 400)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRunningGame: three clients join a game that is being recorded, get each turn behind
// the delay, and stay to its end, although the file gets another name meanwhile.
func TestRunningGame(t *testing.T) {
	tier.All(t, "waits for real time")
	const delay = 2 * time.Second
	name := filepath.Join(t.TempDir(), "game.w3g.part")
	f, w := begin(t, name)
	if _, err := Start(name); err != ErrEarly {
		t.Errorf("Start: %v, want %v", err, ErrEarly)
	}
	play(t, w, 40, 400)
	if r, err := Start(name); err != nil || r.Start.GameName != "Evening" {
		t.Fatalf("Start: %v", err)
	}
	s, log := serve(t, name, delay, 3)
	written := time.Now()
	done := make(chan bots.Report)
	go func() {
		report, err := bots.Run(t.Context(), bots.Options{
			Addr: s.opts.Listener.Addr().String(), GameID: 7, EntryKey: 9, Watch: true, Players: 3, LoadTime: 10 * time.Millisecond, NamePrefix: "fan-",
		})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	testkit.Eventually(t, "a client watches", func() bool { return strings.Contains(log.String(), "watches") })
	play(t, w, 40, 400)
	_ = w.Left(2, w3gs.LeaveLost)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Rename(name, strings.TrimSuffix(name, ".part")); err != nil {
		t.Fatal(err)
	}
	report := <-done
	if !report.OK || time.Since(written) < delay {
		t.Fatalf("after %v: %+v\n%s", time.Since(written), report, log.String())
	}
	for _, p := range report.Players {
		if p.Turns != 80 {
			t.Errorf("%s got %d turns of 80", p.Name, p.Turns)
		}
	}
}

// TestFaultOfAnEntrance: who is cut off by a fault while the game begins for them is not counted any more, and those
// who watch other games go on.
func TestFaultOfAnEntrance(t *testing.T) {
	file := recorded(t)
	s, log := serve(t, file, 0, 3)
	tooLong := w3gs.MapCheck{Path: strings.Repeat("x", 1<<16)} // for a packet
	faulty := &Show{Number: 8, File: file, Tape: func(r *replay.Reader) (*spectate.Recording, error) {
		return spectate.NewRecording(r, 1, w3gs.DefaultVersion, tooLong)
	}}
	s.Add(faulty)
	ann := join(t, s, 7, 9, "Ann")
	ann.Until(byte(w3gs.OpMapCheck))
	if err := join(t, s, 8, 0, "Bob").Ended(); err == nil {
		t.Error("who cannot be shown the game stays")
	}
	log.Await(t, "who watches a game is cut off")
	s.Wait(func() {
		if len(s.viewers) != 1 || faulty.viewers != 0 || faulty.tape != nil || faulty.Watching() != 0 {
			t.Errorf("%d are there, %d of the faulty game, whose record is in memory: %v; %d watch it", len(s.viewers), faulty.viewers, faulty.tape != nil, faulty.Watching())
		}
	})
	ann.Send((&w3gs.MapSize{Flag: w3gs.MapHave, Size: check.Size}).AppendTo(nil))
	ann.UntilChat("You are watching Evening")
}

// TestFaultOfTheLoop: when the loop has ended by a fault, no connection stays open: neither of those who watch, nor
// of those who have not joined yet, nor of those who were refused.
func TestFaultOfTheLoop(t *testing.T) {
	s, _ := serve(t, recorded(t), 0, 3)
	ann, bob := join(t, s, 7, 9, "Ann"), dial(t, s)
	ann.Until(byte(w3gs.OpMapCheck))
	cid := testkit.Dial(t, s.opts.Listener.Addr().(*net.TCPAddr).AddrPort()) // does not close
	cid.Send((&w3gs.ReqJoin{GameID: 8, Name: "Cid", Extra: []byte{0}}).AppendTo(nil))
	if _, err := cid.Read(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "three connections", func() bool {
		n := 0
		s.Wait(func() { n = s.Connections() })
		return n == 3
	})
	s.Call(func() { panic("a fault") })
	<-s.Done()
	for who, c := range map[string]*testkit.Client{"who watches": ann, "who has not joined": bob} {
		if c.Ended() == nil {
			t.Errorf("%s is still connected", who)
		}
	}
	testkit.Eventually(t, "the end of who was refused", func() bool {
		_, err := cid.Conn.Write([]byte{w3gs.Magic})
		return err != nil
	})
}

// TestDoor: who may not watch is told so, in the packets that clients know.
func TestDoor(t *testing.T) {
	s, log := serve(t, recorded(t), 0, 1)
	ann := join(t, s, 7, 9, "Eve")
	ann.Until(byte(w3gs.OpMapCheck))
	late := join(t, s, 7, 9, "Fay")
	late.Send((&w3gs.MapSize{Flag: w3gs.MapHave, Size: check.Size}).AppendTo(nil))
	late.UntilChat("This game already has its maximum of 1 spectator.")
	for name, refused := range map[string]struct {
		c    *testkit.Client
		code byte
	}{
		"no such game": {join(t, s, 8, 9, "Fay"), byte(w3gs.RejectInvalid)},
		"wrong key":    {join(t, s, 7, 8, "Fay"), byte(w3gs.RejectInvalid)}, "no name": {join(t, s, 7, 9, ""), byte(w3gs.RejectInvalid)},
	} {
		if p := refused.c.Until(byte(w3gs.OpRejectJoin)); p[4] != refused.code {
			t.Errorf("%s: refused with %d, want %d", name, p[4], refused.code)
		}
	}
	stranger := dial(t, s)
	stranger.Send(testkit.Packet(byte(w3gs.OpPongToHost), uint32(1)))
	if err := stranger.Ended(); err == nil {
		t.Error("a connection that does not join goes on")
	}
	ann.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLost}).AppendTo(nil))
	ann.Until(byte(w3gs.OpLeaveAck))
	late.Send((&w3gs.LeaveGame{Reason: w3gs.LeaveLost}).AppendTo(nil))
	testkit.Eventually(t, "both are gone", func() bool { return log.Count("watches no more") == 2 })
	t.Log(log.String())
	fay := join(t, s, 7, 9, "Fay") // there is room again
	fay.Until(byte(w3gs.OpMapCheck))
	fay.Send((&w3gs.MapSize{Flag: w3gs.MapHave, Size: check.Size}).AppendTo(nil))
	fay.UntilChat("You are watching Evening")
}
