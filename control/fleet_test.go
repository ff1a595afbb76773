package control

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"w3host/game/command"
	"w3host/host"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// neighbours are the operators of several hosts, which tell each other lines without a database.
type neighbours struct {
	mu    sync.Mutex
	all   []*Operator
	lines []string // that were passed on
	full  error    // why no host opens one more lobby
}

// mostPassed lines are passed on before the test gives up.
const mostPassed = 20

// neighbour is one of them.
type neighbour struct {
	*neighbours
	number int
}

func (n neighbour) Number() int { return n.number }

func (n neighbour) Games(context.Context) ([]storage.FleetGame, error) { return nil, nil }

func (n neighbour) Place(context.Context) (func(), error) {
	if n.full != nil {
		return nil, n.full
	}
	return func() {}, nil
}

func (n neighbour) Order(ctx context.Context, host int, by *command.Caller, game uint32, line string) error {
	for i, o := range n.all {
		if i+1 == n.number || host != 0 && i+1 != host {
			continue
		}
		n.mu.Lock()
		n.lines = append(n.lines, line)
		over := len(n.lines) > mostPassed
		n.mu.Unlock()
		if over {
			return context.Canceled
		}
		caller := command.Caller{Name: by.Name, Realm: by.Realm, Level: by.Level, Via: by.Via, Reply: by.Reply, Refuse: by.Refuse}
		if err := o.Relay(ctx, &caller, game, line); err != nil {
			return err
		}
	}
	return nil
}

// threeHosts share lines, and each has a lobby.
func threeHosts(t *testing.T) (*neighbours, []*stage) {
	t.Helper()
	n := &neighbours{}
	var stages []*stage
	for i := range 3 {
		s := newStage(t, map[string]map[string]bool{}, func(o *host.Options) { o.Realms = believing{} })
		s.operator.opts.Fleet = neighbour{n, i + 1}
		n.all = append(n.all, s.operator)
		play(t, s, "console: host dota")
		stages = append(stages, s)
	}
	return n, stages
}

func play(t *testing.T, s *stage, line string) []string {
	t.Helper()
	got, err := s.event(line)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// believing is a realm, Home, that confirms every name.
type believing struct{}

func (believing) Of(w3gs.Version) []string      { return []string{"Home"} }
func (believing) Realm(id uint32) string        { return []string{"", "Home"}[id>>28] }
func (believing) Port(string) uint16            { return 0 }
func (believing) Version(string) w3gs.Version   { return 26 }
func (believing) Account(string) string         { return "hostbot" }
func (believing) Waits(uint32) (string, string) { return "", "" }

func (believing) Confirm(_, _ string, _ uint32, _ netip.Addr, answer func(bool)) func() {
	go answer(true)
	return func() {}
}

// A line for all hosts goes to each other host once, however it came to the first.
func TestPassedOnOnce(t *testing.T) {
	n, stages := threeHosts(t)
	play(t, stages[1], fmt.Sprintf("join %d AdminZed", 1<<28|1)) // on the list of the realm
	testkit.Eventually(t, "the realm has confirmed the name", func() bool {
		id, _ := stages[1].h.Standing("Home", "AdminZed")
		return id == 1
	})
	for line, want := range map[string][]string{
		"console: say hello":             {"say hello", "say hello"},
		"console: saygames hello":        {"saygames hello", "saygames hello"},
		"AdminZed@Home: saygames hello":  {"saygames hello", "saygames hello"}, // who is in a lobby of host 2
		"console: eg 2-1 saygames hello": {"saygames hello", "saygames hello", "saygames hello"},
		"console: eg 2-1 say hello":      {"say hello"}, // in that lobby
		"console: at 3 unhost 1":         {"unhost 1"},
		"console: at 1 at 2 say hello":   {"say hello"}, // 1 is the host itself
	} {
		n.lines = nil
		got := play(t, stages[0], line)
		refused := slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "is refused") })
		if !slices.Equal(n.lines, want) || refused {
			t.Errorf("%s: passed on %q, read %q", line, n.lines, got)
		}
	}
}
