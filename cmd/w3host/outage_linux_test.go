package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/game"
	"w3host/hold"
	"w3host/host/survive"
	"w3host/internal/tier"
)

// What TestOutage measures; the figures of docs/survival.md are
//
//	go test ./cmd/w3host -run TestOutage -outage-games 1,10,100 -outage-minutes 1,30,60 -outage-kills 3 -timeout 60m -v
var (
	outageGames   = flag.String("outage-games", "1", "numbers of games")
	outageMinutes = flag.String("outage-minutes", "5", "how long they have been played")
	outageStandby = flag.Bool("outage-standby", false, "with host.standby")
	outageKills   = flag.Int("outage-kills", 1, "how often the host is killed")
)

// asAger names a file: the host that is started next, while it is there, has the games go on
// for the minutes that it says, in virtual time, and ends.
const asAger = "W3HOST_TEST_AGE"

// From a kill of the host to the next turn of each player, for so many games of so many
// minutes.
func TestOutage(t *testing.T) {
	tier.All(t, "plays games in real time")
	for _, games := range numbers(t, *outageGames) {
		for _, minutes := range numbers(t, *outageMinutes) {
			measureOutage(t, games, minutes)
		}
	}
}

func numbers(t *testing.T, text string) (list []int) {
	t.Helper()
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func measureOutage(t *testing.T, games, minutes int) {
	t.Helper()
	dir := t.TempDir()
	age := filepath.Join(dir, "age")
	t.Setenv(asAger, age)
	t.Setenv("W3HOST_AUTOHOST_LOBBIES", strconv.Itoa(games))
	t.Setenv("W3HOST_AUTOHOST_MAX_GAMES", "1000")
	t.Setenv("W3HOST_HOST_STANDBY", map[bool]string{true: "on", false: "off"}[*outageStandby])
	p, pidFile := startHold(t, dir, "--autostart", "10")

	// The bots kill whom a file names, which is nobody until the games are old.
	nobody := exec.Command("true")
	if err := nobody.Run(); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte(strconv.Itoa(nobody.Process.Pid)), 0o600); err != nil {
		t.Fatal(err)
	}
	// To make an hour of a game, or to make it again, takes a fifth of a second or more.
	work := time.Duration(games*minutes) * 5 * time.Millisecond
	every, aging := 3*time.Second+work, 4*time.Second+time.Duration(games)*100*time.Millisecond+work
	done, running := make(chan bots.Report, 1), make(begun, games)
	go func() {
		report, err := bots.Run(t.Context(), bots.Options{
			Addr: p.addr, Players: 10, Games: games, Actions: 3, NoStart: true, OwnAddresses: true, LoadTime: 200 * time.Millisecond,
			Log:  zerolog.New(running),
			Play: aging + time.Duration(*outageKills)*every + every/2, Kill: target, KillEvery: every,
		})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	for range games {
		select {
		case <-running:
		case <-done:
			t.Fatal("not all games have begun")
		}
	}
	time.Sleep(time.Second) // until all are held
	host, err := hostOf(pidFile)
	if err == nil {
		err = os.WriteFile(age, []byte(strconv.Itoa(minutes)), 0o600)
	}
	if err == nil {
		err = syscall.Kill(host, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.awaitGames(dir, games)
	if err = os.Symlink(pidFile, target+".new"); err == nil {
		err = os.Rename(target+".new", target)
	}
	if err != nil {
		t.Fatal(err)
	}
	report := <-done
	o := report.Outage
	t.Logf("| %d | %d | %d | %d | %d |", games, minutes, report.Kills, o.P50.Milliseconds(), o.Max.Milliseconds())
	if !report.OK || report.Kills == 0 || report.ActionsSent != report.ActionsSeen {
		t.Errorf("%s; %d of %d actions seen, %v, %v", report.Verdict(), report.ActionsSeen, report.ActionsSent, report.Outcomes, report.Faults)
	}
	stopHold(t, p)
}

// awaitGames waits until so many are played.
func (p *process) awaitGames(dir string, want int) {
	p.t.Helper()
	played := 0
	for until := time.Now().Add(2 * time.Minute); played < want; time.Sleep(200 * time.Millisecond) {
		out, _ := processCommand(p.t, dir, "ctl", "games").Output()
		if played = strings.Count(string(out), ": game, "); time.Now().After(until) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.t.Fatalf("%d of %d games are played: %v", played, want, p.lines[max(0, len(p.lines)-20):])
		}
	}
}

// begun gets a value for each game that the bots begin to play.
type begun chan struct{}

// Write takes a line of their log.
func (b begun) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("the game runs")) {
		b <- struct{}{}
	}
	return len(line), nil
}

func init() {
	instead = func() {
		if file := os.Getenv(asAger); file != "" && os.Args[1] == "serve" {
			ageGames(file)
		}
	}
}

// ageGames is the process of a host that has all games go on for some minutes at once.
func ageGames(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return // this is the host
	}
	minutes, err := strconv.Atoi(string(text))
	if err == nil {
		err = os.Remove(file)
	}
	var shelf hold.Shelf
	if err == nil {
		shelf, err = hold.Open()
	}
	if err == nil {
		err = ageAll(shelf, time.Duration(minutes)*time.Minute)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "aging:", err)
	}
	os.Exit(exitFailed)
}

func ageAll(shelf hold.Shelf, by time.Duration) error {
	var flights []*survive.Flight
	memories, sockets := map[uint32]int{}, map[uint32]map[game.LinkID]int{}
	for name, fd := range shelf.Left() {
		switch id, link := name.Split(); {
		case id == 0 && name >= 16:
			mem, err := shelf.Map(fd)
			if err != nil {
				return err
			}
			f, err := survive.FindFlight(mem)
			if err != nil {
				return err
			}
			flights = append(flights, f)
		case id == 0:
		case link == 0:
			memories[id] = fd
		default:
			if sockets[id] == nil {
				sockets[id] = map[game.LinkID]int{}
			}
			sockets[id][game.LinkID(link)] = fd
		}
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for id, fd := range memories {
		all.Go(func() {
			places <- struct{}{}
			l, err := ageOne(shelf, id, fd, sockets[id], flights, by)
			<-places
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				err = shelf.Put(hold.GameName(id), l.Memory().FD())
			}
			if err != nil {
				failed = fmt.Errorf("game %d: %w", id, err)
			}
		})
	}
	all.Wait()
	shelf.Serving()
	time.Sleep(time.Second) // else it was too short a service
	return failed
}

// ageOne writes the journal of a game anew, with more minutes in it than were played, and
// says behind them where the streams of the players are.
func ageOne(shelf hold.Shelf, id uint32, fd int, sockets map[game.LinkID]int, flights []*survive.Flight, by time.Duration) (*survive.Ledger, error) {
	mem, err := shelf.Map(fd)
	if err != nil {
		return nil, err
	}
	left, err := survive.Find(mem)
	if err == nil && !left.Own() {
		err = fmt.Errorf("another process plays it")
	}
	if err != nil {
		return nil, err
	}
	counts, written := map[game.LinkID]hold.Counts{}, map[game.LinkID]uint64{}
	for link, fd := range sockets {
		c, err := shelf.Count(fd)
		if err != nil {
			return nil, err
		}
		counts[link], written[link] = c, c.Written
	}
	out, turns := new(game.Out), 0
	v, err := left.Revive(written, nil, out, func(*game.Stamped) {})
	if err != nil {
		return nil, err
	}
	fresh, err := shelf.Memory("w3host-game", len(mem.Bytes()))
	if err != nil {
		return nil, err
	}
	l, enc, sum, buf := survive.BeginIn(fresh), v.Writer, v.Sum, []byte(nil)
	l.Write(game.WithoutNotes(left.Written()))
	now, shown, open := v.Last, true, v.Open()
	step := func(in *game.Input) {
		buf = enc.Append(buf[:0], now, in)
		l.Input(buf)
		v.Machine.Step(now, in, out)
		sum = out.Sum(sum)
		for i := range out.Facts {
			if _, turned := out.Facts[i].Fact.(*game.Turned); turned {
				turns++
			}
		}
		for i := range out.Ops {
			if op := &out.Ops[i]; shown && (op.Kind == game.Send || op.Kind == game.SendLast) {
				for _, link := range open {
					if op.To.Has(link.PID) {
						link.Queue = append(link.Queue, op.Frame...)
					}
				}
			}
		}
		out.Reset()
		l.Settled()
	}
	answers := sumsOf(left.Written())
	more := int(by / (100 * time.Millisecond))
	answered := map[game.LinkID]int{}
	answer := func(turns int) {
		for _, link := range open {
			if n := answered[link.ID]; n < min(turns, more) {
				answered[link.ID]++
				now += time.Millisecond
				step(&game.Input{Kind: game.Keepalive, Link: link.ID, Sum: answers.of(link.ID, n, more), Bytes: 9})
			}
		}
	}
	turn := func() error {
		for done, tries := turns, 0; turns == done; tries++ {
			if tries > 20 { // somebody was waited for
				answer(more)
			}
			if tries > 200 {
				return fmt.Errorf("it stands still")
			}
			at, _ := v.Machine.Next()
			now = max(now, at)
			step(&game.Input{Kind: game.Tick})
		}
		return nil
	}
	step(&game.Input{Kind: game.Survived})
	err = turn() // with what players have done before
	shown = false
	menus := bytes.Repeat([]byte{0x66}, 22) // opens a menu of skills, again and again
	for n := 0; n < more && err == nil; n++ {
		err = turn()
		answer(n + 1)
		for i, link := range open {
			if (n*3+i)%10 < 3 && n < more-1 {
				step(&game.Input{Kind: game.Action, Link: link.ID, Data: menus, Bytes: 8 + len(menus)})
			}
		}
	}
	if err != nil {
		return nil, err
	}
	l.Sum(sum)
	l.Opened(shelf.Clock() - now)
	for _, link := range open {
		missing, err := link.Missing(counts[link.ID].Read, hold.LinkName(id, uint32(link.ID)), flights)
		if err != nil {
			return nil, err
		}
		at := link.Streams
		at.Rest = append(at.Rest, missing...)
		stream := l.Follow(link.ID, at.Taken)
		stream.Base(at)
	}
	l.Head(left.Head)
	return l, nil
}

// answers are what players have answered to the turns before: those that are under way
// come behind the minutes that nobody has seen.
type answers map[game.LinkID][]uint32

func sumsOf(journal []byte) answers {
	a := answers{}
	r, _, err := game.NewReader(journal)
	for e := new(game.JournalItem); err == nil; {
		if err = r.Next(e); err == nil && e.Note == nil && e.Input.Kind == game.Keepalive {
			a[e.Input.Link] = append(a[e.Input.Link], e.Input.Sum)
			if len(a[e.Input.Link]) > len(a[0]) {
				a[0] = append(a[0], e.Input.Sum) // what the first of them has answered
			}
		}
	}
	return a
}

// of is the answer of a link to a turn of more that nobody has seen.
func (a answers) of(link game.LinkID, turn, more int) uint32 {
	n := len(a[link]) + turn
	switch {
	case n < len(a[0]):
		return a[0][n]
	case n >= more && n-more < len(a[0]):
		return a[0][n-more]
	}
	return 7
}
