package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/daemon"
	"w3host/daemon/logging"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/storage"

	"w3host/internal/testkit"
)

// How long and with how many players; the long run is
//
//	go test ./cmd/w3host -run TestSoak -soak 10m -timeout 15m -v
var (
	soakFor     = flag.Duration("soak", 8*time.Second, "how long TestSoak plays")
	soakPlayers = flag.Int("soakplayers", 24, "how many players TestSoak has")
)

// soakEntries are the entries with the most games that each may have.
var soakEntries = map[string]int{"alpha {n}": 3, "beta": 2, "gamma {n}": 4}

const soakMost = 8

const soakConfig = `
[web]
enabled = false
[host]
listen = "127.0.0.1:0"
[lan]
enabled = false
[game]
latency = "50ms"
last_player_timeout = "0s"
[limits]
joins_per_minute_per_ip = 1000000
lobby_leaves = 0
[[autohost]]
name = "alpha {n}"
max_games = 3
maps = ["one", "two"]
rotation = "vote"
autostart = 3
countdown = 0
[[autohost]]
name = "beta"
max_games = 2
maps = ["missing", "one"]
min_players = 2
start_after = "1s"
autostart = -1
countdown = 1
countdown_restarts = false
abandoned_after = "1s"
[[autohost]]
name = "gamma {n}"
max_games = 4
maps = ["*"]
rotation = "random"
autostart = 4
countdown = 1
start_ready = true
latency = "80ms"
`

// Three entries and players who join, chat, vote, start and leave at random: there
// is always a lobby of each entry, never more games than may be; and when all have
// gone nothing has grown, and every game is in the log with its result.
func TestSoak(t *testing.T) {
	tier.All(t, "plays games in real time")
	dir := t.TempDir()
	maps, _ := mapFolder(t)
	file := filepath.Join(dir, "w3host.toml")
	write(t, file, soakConfig)
	c, err := config.Load(file, nil)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Maps.Dir, c.Maps.Scripts = maps, ""
	c.Autohost.MaxGames = soakMost
	c.Host.DataDir, c.Replays.Dir = dir, filepath.Join(dir, "replays")
	var log testkit.Log
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Options{Config: c, Console: new(control.Console), Log: logging.ForPeople(&log, zerolog.WarnLevel)})
	}()
	s := &soak{t: t, socket: c.ControlSocket()}
	testkit.Eventually(s.t, "the lobbies", func() bool { return s.look() && s.lobbies == len(soakEntries) })
	s.addr = "127.0.0.1:" + strconv.Itoa(hostPort(t))

	s.play(*soakFor / 4) // what is allocated once is there now
	s.settle()
	before := amount()
	s.play(*soakFor * 3 / 4)
	s.settle()
	after := amount()
	t.Logf("%d joins, %d lobbies opened; before %+v, after %+v, most while playing %+v", s.joins.Load(), s.opened, before, after, s.most)
	if after.goroutines > before.goroutines+3 || after.files > before.files+3 || after.heap > before.heap*2+(8<<20) {
		t.Errorf("it grows: before %+v, after %+v", before, after)
	}
	if s.started() < 3 {
		t.Errorf("only %d games were played", s.started())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.checkLog(c.DatabaseURL())
	if strings.Contains(log.String(), "crashed") {
		t.Error(log.String())
	}
}

// hostPort finds the port that this process listens on. The host logs it only for
// people.
func hostPort(t *testing.T) int {
	t.Helper()
	table, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	fds, _ := os.ReadDir("/proc/self/fd")
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			own[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && own[f[9]] {
			_, port, _ := strings.Cut(f[1], ":")
			n, _ := strconv.ParseInt(port, 16, 32)
			return int(n)
		}
	}
	t.Fatal("this process listens on no port")
	return 0
}

// amounts are what must not grow.
type amounts struct {
	goroutines, files int
	heap              uint64
}

func amount() amounts {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fds, _ := os.ReadDir("/proc/self/fd")
	return amounts{runtime.NumGoroutine(), len(fds), m.HeapAlloc}
}

type soak struct {
	t            *testing.T
	socket, addr string
	joins        atomic.Int64
	most         amounts

	mu      sync.Mutex
	lobbies int
	games   []uint32 // lobbies to join
	playing int
	opened  int
	missing map[string]time.Time
}

func (s *soak) send(line string) []string {
	a, err := control.Send(s.t.Context(), s.socket, control.Order{Command: line})
	if err != nil || a.Refused != "" {
		return nil
	}
	return a.Lines
}

var (
	entryLine = regexp.MustCompile(`^"(.*)": (\d+) open, (\d+) playing, (\d+) at most, (\d+) so far`)
	gameLine  = regexp.MustCompile(`^#(\d+) "(.*)": (lobby|game)`)
)

// patienceForALobby is how long an entry may be without one on a busy machine.
const patienceForALobby = 5 * time.Second

// look asks the host how it stands, and holds that against the rules; false if it
// does not answer.
func (s *soak) look() bool {
	lines := s.send("autohost")
	games := s.send("games")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing == nil {
		s.missing = map[string]time.Time{}
	}
	s.lobbies, s.playing, s.opened, s.games = 0, 0, 0, nil
	for _, line := range lines {
		f := entryLine.FindStringSubmatch(line)
		if f == nil {
			s.t.Errorf("what is %q?", line)
			continue
		}
		name, open, playing, so := f[1], number(f[2]), number(f[3]), number(f[5])
		s.lobbies, s.playing, s.opened = s.lobbies+open, s.playing+playing, s.opened+so
		if open+playing > soakEntries[name] || open > 1 {
			s.t.Errorf("more than may be: %s", line)
		}
		if open == 0 && playing < soakEntries[name] && len(lines) > 0 {
			if since := s.missing[name]; since.IsZero() {
				s.missing[name] = time.Now()
			} else if time.Since(since) > patienceForALobby && s.playing+s.lobbies < soakMost {
				s.t.Errorf("no lobby for %v: %s", time.Since(since), line)
			}
		} else {
			delete(s.missing, name)
		}
	}
	if s.lobbies+s.playing > soakMost {
		s.t.Errorf("%d lobbies and %d games", s.lobbies, s.playing)
	}
	for _, line := range games {
		if f := gameLine.FindStringSubmatch(line); f != nil && f[3] == "lobby" {
			s.games = append(s.games, uint32(number(f[1])))
		}
	}
	return lines != nil
}

func number(text string) int { n, _ := strconv.Atoi(text); return n }

func (s *soak) started() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened - s.lobbies
}

// play lets the players do what they like for a while, and looks on.
func (s *soak) play(d time.Duration) {
	ctx, stop := context.WithTimeout(s.t.Context(), d)
	defer stop()
	var playing sync.WaitGroup
	for i := range *soakPlayers {
		playing.Go(func() {
			for ctx.Err() == nil {
				s.visit(ctx, fmt.Sprintf("Bot%d", i))
			}
		})
	}
	for n := 0; ctx.Err() == nil && !s.t.Failed(); n++ {
		s.look()
		if n%100 == 0 {
			now := amount()
			s.most = amounts{max(s.most.goroutines, now.goroutines), max(s.most.files, now.files), max(s.most.heap, now.heap)}
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	playing.Wait()
}

// settle waits until no game runs and nobody is connected.
func (s *soak) settle() {
	testkit.Eventually(s.t, "the end of all games", func() bool { return s.look() && s.playing == 0 && s.lobbies == len(soakEntries) })
	time.Sleep(3 * time.Second) // links that close, abandoned lobbies, the SQLite connections that idle
	testkit.Eventually(s.t, "the lobbies", func() bool { return s.look() && s.lobbies == len(soakEntries) })
}

// visit is one stay of a player in one lobby and the game that comes of it.
func (s *soak) visit(ctx context.Context, name string) {
	s.mu.Lock()
	var id uint32
	if len(s.games) > 0 {
		id = s.games[rand.IntN(len(s.games))]
	}
	s.mu.Unlock()
	stay := time.Duration(200+rand.IntN(6000)) * time.Millisecond
	ctx, leave := context.WithTimeout(ctx, stay)
	defer leave()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr)
	if err != nil || id == 0 {
		<-ctx.Done()
		return
	}
	p := &visitor{name: name, conn: conn}
	defer func() { _ = conn.Close() }()
	p.send(&w3gs.ReqJoin{GameID: id, ListenPort: 6112, JoinCounter: 1, Name: name, Extra: []byte{0}})
	talk := context.AfterFunc(ctx, func() {
		if rand.IntN(3) > 0 { // else the line breaks
			p.send(&w3gs.LeaveGame{Reason: w3gs.LeaveLost})
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			return
		}
		_ = conn.Close()
	})
	defer talk()
	if p.listen(ctx) {
		s.joins.Add(1)
	}
}

// visitor is a player's client.
type visitor struct {
	name string
	mu   sync.Mutex
	conn net.Conn
	pid  uint8
	game bool
}

func (p *visitor) send(packet w3gs.Packet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_, _ = p.conn.Write(packet.AppendTo(nil))
}

// said is what players type.
var said = []string{
	"hello", "!votemap", "!votemap one", "!votemap two", "!ready", "!start", "!start now", "!owner", "!ping", "!help", "!rules", "!games",
	"!swap 1 2", "!abort", "!unhost", "!exit force", "!kick bot", "!rename beta", "!priv", "!pub", "!nonsense",
}

func (p *visitor) talk() {
	line := w3gs.Chat{From: p.pid, To: []uint8{p.pid}, Flag: w3gs.ChatLobby, Text: said[rand.IntN(len(said))]}
	if p.game {
		line.Flag, line.Text = w3gs.ChatGame, "gg"
		if rand.IntN(4) == 0 {
			line.Text = "!end"
		}
	}
	p.send(&w3gs.ChatToHost{Chat: line})
}

// listen answers the host until the connection ends; true if the player was in.
func (p *visitor) listen(ctx context.Context) bool {
	stream := w3gs.NewStream(w3gs.MaxFrame)
	for turn := 0; ; {
		f, err := stream.Next()
		if err != nil {
			return p.pid != 0
		}
		if f == nil {
			n, err := p.conn.Read(stream.Free())
			if err != nil {
				return p.pid != 0
			}
			stream.Commit(n)
			continue
		}
		packet, err := w3gs.Decode(f, w3gs.FromHost)
		if err != nil {
			return p.pid != 0
		}
		switch q := packet.(type) {
		case *w3gs.SlotInfoJoin:
			p.pid = q.PID
		case *w3gs.RejectJoin:
			<-ctx.Done()
			return false
		case *w3gs.MapCheck:
			p.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: q.Size})
		case *w3gs.PingFromHost:
			p.send(&w3gs.PongToHost{Tick: q.Tick})
		case *w3gs.SlotInfo:
			if rand.IntN(2) == 0 {
				p.talk()
			}
		case *w3gs.CountdownEnd:
			p.game = true
			p.send(&w3gs.LoadedSelf{})
		case *w3gs.IncomingAction:
			if turn++; turn%20 == 0 {
				p.talk()
			}
			p.send(&w3gs.Keepalive{Checksum: uint32(turn)})
		}
	}
}

// checkLog holds that every game and lobby of the log has its end.
func (s *soak) checkLog(url string) {
	db, err := storage.Open(context.Background(), url, storage.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	games, err := db.Games(context.Background(), storage.GameFilter{Limit: 1 << 20})
	if err != nil {
		s.t.Fatal(err)
	}
	played, ends := 0, map[string]int{}
	for _, g := range games {
		if g.Ended == "" || g.EndedAt.IsZero() {
			s.t.Errorf("%s %q has no end", g.Key, g.Name)
		}
		if !g.StartedAt.IsZero() {
			played++
			ends[string(g.Ended)]++
		}
	}
	s.t.Logf("%d in the log, %d of them were played; they ended by %v", len(games), played, ends)
	if played < 3 || len(games) < s.opened {
		s.t.Errorf("%d games of the log were played, of %d; the host opened %d", played, len(games), s.opened)
	}
}
