// Package play implements w3host lan play: it announces the open lobbies of a remote host to the games on this machine and
// its network, carries the players' connections to that host, and keeps them alive with GProxy++ when the network fails.
// Run is its only entry point; it asks the host for its lobbies at intervals.
package play

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/lan"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Options configure Run.
type Options struct {
	Host     string // HOST:PORT for joins
	OnlyHere bool   // announce the lobbies only on this machine
	// Show modifies where lobbies are announced; nil means on this machine and its networks.
	Show func(*lan.Options)
	Say  func(texts.Text) // shows a line to the player; called from any goroutine
	Log  zerolog.Logger
}

// session is the state of Run. Connections share the fields after mu.
type session struct {
	opts   Options
	mirror *lan.Mirror // nil until a lobby was listed
	shown  map[uint32]string
	status string // last reported state of the host

	product w3gs.Product
	mu      sync.Mutex
	ports   map[uint32]uint16 // ports of lobbies as seen by the host itself
}

// Run announces the lobbies of a host until ctx ends. It retries while the host does not answer; it returns an error if
// announcing is impossible on this machine.
func Run(ctx context.Context, o Options) error {
	s := &session{opts: o, shown: map[uint32]string{}}
	defer func() {
		if s.mirror != nil {
			s.mirror.Close()
		}
	}()
	s.say(texts.Of("Asking %s for its lobbies. Leave this window open while you play.", o.Host))
	for {
		wait, err := s.round(ctx)
		if err != nil {
			return err
		}
		// spread the load when many clients lost the host at once
		wait += rand.N(wait / 5)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// round queries the host once and returns the time until the next query. Lobbies are withdrawn only if the host says so,
// not if it does not answer once.
func (s *session) round(ctx context.Context) (time.Duration, error) {
	a, at, err := ask(ctx, s.opts.Host)
	switch {
	case ctx.Err() != nil:
		return time.Second, nil
	case errors.Is(err, errNoList), errors.Is(err, errLong):
		s.note("alien", texts.Of("%s does not list its lobbies: it does not run w3host, or an older one.", s.opts.Host))
		return latest, s.show(nil, at)
	case err != nil:
		s.note("away", texts.Of("%s does not answer (%v). Trying again.", s.opts.Host, plain(err)))
		return 2 * soonest, nil
	case a.state == gproxy.ListsOff:
		s.note("off", texts.Of("%s does not list its lobbies: its operator has switched that off.", s.opts.Host))
		return latest, s.show(nil, at)
	case a.state == gproxy.ListsBusy:
		s.note("busy", texts.Of("%s has been asked too often from your address, or is very busy. Asking again in %v.", s.opts.Host, a.nextAsk))
		return a.nextAsk, nil
	case a.state != gproxy.AllListed:
		s.note("format", texts.Of("%s uses a newer protocol: get a newer w3host.", s.opts.Host))
		return latest, s.show(nil, at)
	}
	if len(a.lobbies) == 0 {
		s.note("empty", texts.Of("No lobby is open at %s. New ones appear by themselves.", s.opts.Host))
	} else {
		s.product = cmp.Or(s.product, a.lobbies[0].Product)
		s.note("open", texts.Of("%s answers. Open Warcraft III and choose Local Area Network.", s.opts.Host))
	}
	return a.nextAsk, s.show(a.found(at, s.product), at)
}

// show announces the lobbies and tells the player about changes.
func (s *session) show(list []lan.Found, at netip.AddrPort) (err error) {
	s.place(list, at)
	if s.mirror == nil && len(list) > 0 {
		if s.mirror, err = lan.OpenMirror(context.Background(), s.mirrorOptions(list[0].Info)); err != nil {
			return err
		}
	}
	if s.mirror != nil {
		s.mirror.Show(list)
	}
	now := map[uint32]string{}
	for i := range list {
		info := &list[i].Info
		if now[info.GameID] == "" && s.shown[info.GameID] != info.Name {
			s.say(texts.Of("%q is in the list of your game (version %s, places taken: %d).",
				info.Name, versions(list, info.GameID), max(0, list[i].Players()-1)))
		}
		now[info.GameID] = info.Name
	}
	for id, name := range s.shown {
		if now[id] == "" {
			s.say(texts.Of("%q has started or is closed.", name))
		}
	}
	s.shown = now
	return nil
}

// place directs joins to the address at which the host was queried.
func (s *session) place(list []lan.Found, at netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ports = map[uint32]uint16{}
	for i := range list {
		info := &list[i].Info
		own, known := s.ports[info.GameID]
		if !known {
			own = info.Port
		}
		s.ports[info.GameID], info.Port = own, at.Port()
	}
}

func (s *session) mirrorOptions(first w3gs.GameInfo) lan.MirrorOptions {
	o := lan.Options{
		Ports: []uint16{0}, BroadcastInfo: true, PushInfo: true, InterfacePort: lan.DefaultPort,
		Targets: []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), lan.DefaultPort)},
		Product: first.Product, Version: first.Version, Log: s.opts.Log,
	}
	if s.opts.OnlyHere {
		o.Bind = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	if s.opts.Show != nil {
		s.opts.Show(&o)
	}
	return lan.MirrorOptions{Show: o, Forward: true, Carry: s.carry}
}

// versions lists the versions of a lobby.
func versions(list []lan.Found, id uint32) texts.Text {
	var names []string
	for _, f := range list {
		if f.Info.GameID == id {
			names = append(names, w3gs.Version(f.Info.Version).String())
		}
	}
	return texts.Either(names)
}

// ownPort returns the port of a lobby as seen by the host itself.
func (s *session) ownPort(id uint32) uint16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ports[id]
}

func (s *session) say(t texts.Text) { s.opts.Say(t) }

// note reports a change in the state of the host to the player.
func (s *session) note(status string, t texts.Text) {
	if s.status != status {
		s.status = status
		s.say(t)
	}
}

// plain returns an error without address and system call, which mean nothing to a player.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}
