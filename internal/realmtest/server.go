// Package realmtest is a small realm (Battle.net server) for tests that behaves like PvPGN: listed games
// cannot be changed, a game is released in two steps, flooding is limited and punished, some requests are
// refused without an answer, and 0x0E follows the login. It can also simulate failing connections and
// servers; see Fault.
package realmtest

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// Server is a realm on the loopback interface.
type Server struct {
	t    testing.TB
	addr string

	mu       sync.Mutex
	listener net.Listener
	accounts map[string]account // by lower-case name
	users    []*user
	games    []*game // newest last
	conns    int
	faults   func(At) Fault
	versions []uint32
	locale   string   // language of its messages
	asks     []string // names passed to /whereis
	refused  int      // chat lines over the quota
	kicked   int
	thrown   int // users logged off by a later login with the same account
	quota    time.Duration
	running  sync.WaitGroup
}

type account struct {
	name string
	hash [20]byte
}

// user is a user of the realm: a connection, or a Person.
type user struct {
	name    string
	channel string
	port    uint16
	addr    netip.Addr
	game    *game
	product w3gs.Product
	out     func(bncs.Packet)
	raw     func([]byte) // nil for a Person
	close   func()
	spent   []spent
	dnd     string // reason for refusing whispers, or ""
	away    string
}

type spent struct {
	at    time.Time
	units int
}

type game struct {
	bncs.ListedGame
	product w3gs.Product
	state   uint32
	started bool
	members []*user
}

// Start runs a realm until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, accounts: map[string]account{}, quota: 5 * time.Second}
	s.addr = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) // reserved, so that nobody takes it between Down and Up
	s.Up()
	t.Cleanup(func() {
		s.Down()
		s.running.Wait()
	})
	return s
}

// Addr returns its address, which stays the same after Down and Up.
func (s *Server) Addr() string { return s.addr }

// Up starts listening. Down and Up together simulate a restart.
func (s *Server) Up() {
	s.t.Helper()
	l, err := net.Listen("tcp4", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Locked(func() { s.listener = l })
	s.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.running.Go(func() { s.serve(c) })
		}
	})
}

// Down closes the listener and all connections, and forgets all games.
func (s *Server) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.listener.Close()
	for _, u := range slices.Clone(s.users) {
		u.close()
	}
	s.games = nil
}

// Register creates an account.
func (s *Server) Register(name, password string) {
	s.Locked(func() { s.accounts[strings.ToLower(name)] = account{name, bncs.PasswordHash(password)} })
}

// Versions sets the accepted version ids; none means all.
func (s *Server) Versions(ids ...uint32) { s.Locked(func() { s.versions = ids }) }

// Games returns the games that a client would see in the list.
func (s *Server) Games() (list []bncs.ListedGame) {
	s.Locked(func() { list = s.listed("") })
	return list
}

// Named returns the game that a client finds by name, private or not.
func (s *Server) Named(name string) (list []bncs.ListedGame) {
	s.Locked(func() { list = s.listed(name) })
	return list
}

// Refused returns the number of chat lines over the quota.
func (s *Server) Refused() (n int) { s.Locked(func() { n = s.refused }); return n }

// Thrown returns the number of users logged off by a later login with their account.
func (s *Server) Thrown() (n int) { s.Locked(func() { n = s.thrown }); return n }

// Online reports whether a user is logged in.
func (s *Server) Online(name string) (is bool) {
	s.Locked(func() { is = s.find(name) != nil })
	return is
}

// Kicked returns the number of clients disconnected for flooding.
func (s *Server) Kicked() (n int) { s.Locked(func() { n = s.kicked }); return n }

// Blast sends bytes to a user repeatedly for the given time, also on connections opened meanwhile.
func (s *Server) Blast(name string, b []byte, span time.Duration) {
	for end := time.Now().Add(span); time.Now().Before(end); {
		raw := func([]byte) { time.Sleep(10 * time.Millisecond) }
		s.Locked(func() {
			if u := s.find(name); u != nil {
				raw = u.raw
			}
		})
		raw(b)
	}
}

// Channel returns the user's channel, or "" if the user is in none or offline.
func (s *Server) Channel(name string) (channel string) {
	s.Locked(func() {
		if u := s.find(name); u != nil {
			channel = u.channel
		}
	})
	return channel
}

// Locked calls f with the server's lock held, like the function passed to Faults.
func (s *Server) Locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Server) find(name string) *user {
	for _, u := range s.users {
		if u.name != "" && strings.EqualFold(u.name, name) {
			return u
		}
	}
	return nil
}

// named returns the answer to a search for one name: the game, or why it is not available.
func (s *Server) named(name string) *bncs.GameList {
	if open := s.listed(name); len(open) > 0 {
		return &bncs.GameList{Games: open}
	}
	for _, g := range s.games {
		if strings.EqualFold(g.Name, name) {
			return &bncs.GameList{Status: bncs.StatusStarted}
		}
	}
	return &bncs.GameList{Status: bncs.StatusNotFound}
}

// listed returns the open public games, newest first, or the game with the given name.
func (s *Server) listed(name string) (list []bncs.ListedGame) {
	for _, g := range slices.Backward(s.games) {
		switch {
		case g.started || len(g.members) == 0:
		case name != "" && strings.EqualFold(g.Name, name), name == "" && g.state == bncs.StatePublic:
			list = append(list, g.ListedGame)
		}
	}
	return list
}

// leave removes a user from a game. If the game has not started, it passes to the next member with that
// member's address; tests that want to close it must do so before.
func (s *Server) leave(u *user) {
	g := u.game
	if g == nil {
		return
	}
	u.game = nil
	host := len(g.members) > 0 && g.members[0] == u
	g.members = slices.DeleteFunc(g.members, func(m *user) bool { return m == u })
	switch {
	case len(g.members) == 0:
		s.games = slices.DeleteFunc(s.games, func(other *game) bool { return other == g })
	case host && !g.started:
		g.Addr = netip.AddrPortFrom(g.members[0].addr, g.members[0].port)
	}
}

// gone removes a user.
func (s *Server) gone(u *user) {
	s.leave(u)
	s.users = slices.DeleteFunc(s.users, func(other *user) bool { return other == u })
}
