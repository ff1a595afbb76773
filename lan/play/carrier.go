package play

import (
	"context"
	"net"
	"net/netip"
	"time"

	"w3host/lan"
	"w3host/lan/carry"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	dialTimeout = 10 * time.Second
	// lookEvery is the interval of checks of the clock; dialRetry is the pause between two attempts to reconnect.
	lookEvery = 100 * time.Millisecond
	dialRetry = time.Second
	// mostKept limits, in bytes, the packets kept until the host acknowledges them; enough for hours of a busy player.
	mostKept = 4 << 20
	// reconnectSize as the map's width and height means that the host supports reconnecting.
	reconnectSize = 1984
)

// crossing reports the state of one client's connection to the player, each event once.
type crossing struct {
	name    string // name of the lobby
	say     func(texts.Text)
	entered bool // the entry was reported
	lost    bool // the loss was reported
	ended   bool // the end was reported
}

// carry implements lan.CarryFunc.
func (s *session) carry(ctx context.Context, client *net.TCPConn, head []byte, to lan.Found) error {
	host, err := net.DialTimeout("tcp", to.JoinAddr().String(), dialTimeout)
	if err != nil {
		s.say(texts.Of("The host cannot be reached, so nobody has joined %q: %v.", to.Info.Name, plain(err)))
		return err
	}
	proxy := gproxy.Proxy{MostKept: mostKept}
	if to.Info.Stat.Width == reconnectSize && to.Info.Stat.Height == reconnectSize {
		proxy.Version = 1
	}
	_ = proxy.FromClient(head) // cannot fail: less than a packet
	c := crossing{name: to.Info.Name, say: s.say}
	own := s.ownPort(to.Info.GameID)
	carrier := carry.New(client, host, carry.Options{
		Proxy: proxy, Every: lookEvery, Retry: dialRetry, Changed: c.report,
		Dial: func(port uint16) (net.Conn, error) { return dialAgain(to.JoinAddr(), own, port) },
	})
	carrier.Start()
	defer context.AfterFunc(ctx, carrier.Close)()
	carrier.Wait()
	return nil
}

// dialAgain opens a connection to resume a session. If the host names own, the port of its lobbies, the port that was
// joined is used, since a router may map it.
func dialAgain(joined netip.AddrPort, own, port uint16) (net.Conn, error) {
	if port != own && port != 0 {
		joined = netip.AddrPortFrom(joined.Addr(), port)
	}
	return net.DialTimeout("tcp", joined.String(), dialTimeout)
}

// report tells the player what has changed.
func (c *crossing) report(_ time.Duration, p *gproxy.Proxy) {
	switch lost := p.State == gproxy.Lost || p.State == gproxy.Asking; {
	case p.Refused != 0 && !c.entered:
		c.entered = true
		c.say(refusal(c.name, w3gs.RejectReason(p.Refused)))
	case p.Entered && !c.entered:
		c.entered = true
		c.say(texts.Of("You are in %q.", c.name))
	case p.State == gproxy.Over && p.Entered && !p.Left && !c.ended:
		c.ended = true
		c.say(texts.Of("The connection to %q has ended: the game is over, or you can no longer get back in.", c.name))
	case lost && !c.lost:
		c.lost = true
		c.say(texts.Of("The connection to %q is lost. Leave the game open: w3host is reconnecting; the others wait for about %v.",
			c.name, time.Duration(p.Empties+1)*time.Minute))
	case !lost && c.lost && p.State == gproxy.Linked:
		c.lost = false
		c.say(texts.Of("You are back in %q.", c.name))
	}
}

// refusal describes a 0x05 to the player.
func refusal(name string, reason w3gs.RejectReason) texts.Text {
	switch reason {
	case w3gs.RejectFull:
		return texts.Of("%q has not let you in: it is full, or there are too many connections from your address.", name)
	case w3gs.RejectStarted:
		return texts.Of("%q has not let you in: the game has started or is over.", name)
	case w3gs.RejectWrongKey:
		return texts.Of("%q has not let you in: your list is out of date. Try once more.", name)
	}
	return texts.Of("%q has not let you in: the name may be taken or not allowed, or you are banned, or you have tried too often.", name)
}
