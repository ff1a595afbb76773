package lan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

// Limits of a forwarder. To the host all its connections come from one address, so that the host should exempt that
// address from its per-address limits.
const (
	maxForwards     = 240 // connections in total: twenty lobbies of twelve
	maxForwardsEach = 24  // connections from one address
	forwardTimeout  = 10 * time.Second
	acceptRetry     = 50 * time.Millisecond // pause after an error of the listener
)

// joinHead is the length of the start of a join (0x1E): header, game id and entry key.
const joinHead = 12

var errNotShown = errors.New("the first packet is not a join to a lobby announced here")

// forwarder accepts connections to announced lobbies of another host and forwards them. A connection must begin with a
// join that has the game id and entry key of such a lobby; nothing else can be reached through it.
type forwarder struct {
	listener net.Listener
	log      zerolog.Logger
	carry    CarryFunc
	ctx      context.Context // ends with the mirror
	stop     context.CancelFunc
	conns    sync.WaitGroup

	mu      sync.Mutex
	lobbies map[doorKey]Found
	from    map[netip.Addr]int // number of open connections
	total   int
}

// doorKey is the pair of numbers that identifies a lobby in a join.
type doorKey struct{ gameID, entryKey uint32 }

// CarryFunc carries a client's connection to a lobby until either side or ctx ends. head holds the bytes already read
// from the client.
type CarryFunc func(ctx context.Context, client *net.TCPConn, head []byte, to Found) error

// openForwarder listens for joins to the lobbies of a mirror.
func openForwarder(ctx context.Context, bind netip.Addr, o MirrorOptions) (*forwarder, error) {
	l, err := net.Listen("tcp4", netip.AddrPortFrom(bind, o.Port).String())
	if err != nil {
		return nil, fmt.Errorf("lan: cannot listen for joins on TCP port %d; choose another port: %w", o.Port, err)
	}
	d := &forwarder{listener: l, log: o.Show.Log, carry: o.Carry, from: map[netip.Addr]int{}}
	if d.carry == nil {
		d.carry = carryPlain
	}
	d.ctx, d.stop = context.WithCancel(ctx)
	context.AfterFunc(d.ctx, func() { _ = l.Close() })
	d.conns.Go(d.accept) // ends when the listener is closed
	return d, nil
}

// set replaces the lobbies that can be joined.
func (d *forwarder) set(lobbies []Found) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lobbies = map[doorKey]Found{}
	for _, f := range lobbies {
		d.lobbies[doorKey{f.Info.GameID, f.Info.EntryKey}] = f
	}
}

// close ends all connections and waits for them.
func (d *forwarder) close() {
	d.stop()
	d.conns.Wait()
}

func (d *forwarder) accept() {
	for {
		client, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptRetry) // such as too many open files
			continue
		}
		addr := client.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if !d.admit(addr) {
			_ = client.Close()
			continue
		}
		d.conns.Go(func() { // ends with the connection or the relay
			defer d.release(addr)
			defer client.Close()
			if err := d.serve(client.(*net.TCPConn)); err != nil {
				d.log.Debug().Err(err).Stringer("addr", addr).Msg("cannot forward a connection")
			}
		})
	}
}

func (d *forwarder) admit(addr netip.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.total >= maxForwards || d.from[addr] >= maxForwardsEach {
		return false
	}
	d.total++
	d.from[addr]++
	return true
}

func (d *forwarder) release(addr netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.from[addr]--; d.from[addr] == 0 {
		delete(d.from, addr)
	}
}

// serve forwards one connection.
func (d *forwarder) serve(client *net.TCPConn) error {
	defer context.AfterFunc(d.ctx, func() { _ = client.Close() })()
	head := make([]byte, joinHead)
	if err := client.SetReadDeadline(time.Now().Add(forwardTimeout)); err != nil {
		return err
	}
	if _, err := io.ReadFull(client, head); err != nil {
		return fmt.Errorf("no join within %v: %w", forwardTimeout, err)
	}
	to, ok := d.lobby(head)
	if !ok {
		return errNotShown
	}
	if err := client.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	return d.carry(d.ctx, client, head, to)
}

// carryPlain copies bytes in both directions.
func carryPlain(ctx context.Context, client *net.TCPConn, head []byte, to Found) error {
	host, err := (&net.Dialer{Timeout: forwardTimeout}).DialContext(ctx, "tcp4", to.JoinAddr().String())
	if err != nil {
		return err
	}
	defer host.Close()
	defer context.AfterFunc(ctx, func() { _ = host.Close() })()
	if _, err := host.Write(head); err != nil {
		return err
	}
	var up sync.WaitGroup
	up.Go(func() { pass(host, client) }) // ends when either side has gone
	pass(client, host)
	_ = client.SetReadDeadline(time.Now().Add(forwardTimeout)) // gives the client time to close as well
	up.Wait()
	return nil
}

// lobby returns the lobby to which a join is addressed.
func (d *forwarder) lobby(head []byte) (to Found, ok bool) {
	if head[0] != w3gs.Magic || w3gs.Op(head[1]) != w3gs.OpReqJoin {
		return to, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	to, ok = d.lobbies[doorKey{binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])}]
	return to, ok
}

// pass copies until from ends and then closes the write side of to. An error closes both.
func pass(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = from.Close()
		_ = to.Close()
		return
	}
	_ = to.(*net.TCPConn).CloseWrite()
}
