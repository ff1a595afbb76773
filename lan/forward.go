package lan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/protocol/w3gs"
)

// Limits of a forwarder. To the host all its connections come from one address,
// which the host has to exempt from its limits by address.
const (
	maxForwards     = 240 // connections: twenty lobbies of twelve
	maxForwardsEach = 24  // from one address
	forwardTimeout  = 10 * time.Second
	acceptRetry     = 50 * time.Millisecond // after a fault of the listener
)

// joinHead is the length of the beginning of a join (0x1E): header, game id, entry
// key.
const joinHead = 12

var errNotShown = errors.New("the first packet is no join to a lobby that is shown here")

// forwarder accepts connections to relayed lobbies and forwards them to the host. A
// connection has to begin with a join to a lobby that is shown, with its entry key:
// nothing else can be reached.
type forwarder struct {
	listener net.Listener
	log      zerolog.Logger
	ctx      context.Context // ends with the relay
	stop     context.CancelFunc
	conns    sync.WaitGroup

	mu      sync.Mutex
	lobbies map[uint32]Found
	from    map[netip.Addr]int // open connections
	total   int
}

// set replaces the lobbies that can be joined.
func (d *forwarder) set(lobbies map[uint32]Found) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lobbies = maps.Clone(lobbies)
}

// close ends all connections and waits for them.
func (d *forwarder) close() {
	d.stop()
	_ = d.listener.Close()
	d.conns.Wait()
}

func (d *forwarder) accept() {
	for {
		client, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) || d.ctx.Err() != nil {
			return
		}
		if err != nil {
			time.Sleep(acceptRetry) // too many files are open
			continue
		}
		addr := client.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if !d.admit(addr) {
			_ = client.Close()
			continue
		}
		d.conns.Go(func() { // ends with the connection, or the relay
			defer d.release(addr)
			defer client.Close()
			if err := d.serve(client); err != nil {
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
func (d *forwarder) serve(client net.Conn) error {
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
	host, err := (&net.Dialer{Timeout: forwardTimeout}).DialContext(d.ctx, "tcp4", to.String())
	if err != nil {
		return err
	}
	defer host.Close()
	defer context.AfterFunc(d.ctx, func() { _ = host.Close() })()
	if _, err := host.Write(head); err != nil {
		return err
	}
	var up sync.WaitGroup
	up.Go(func() { pass(host, client) }) // ends when either side has gone
	pass(client, host)
	_ = client.SetReadDeadline(time.Now().Add(forwardTimeout)) // for the client to close as well
	up.Wait()
	return nil
}

// lobby finds the address that a join is forwarded to.
func (d *forwarder) lobby(head []byte) (to netip.AddrPort, ok bool) {
	if head[0] != w3gs.Magic || w3gs.Op(head[1]) != w3gs.OpReqJoin {
		return to, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.lobbies[binary.LittleEndian.Uint32(head[4:])]
	return f.JoinAddr(), ok && f.Info.EntryKey == binary.LittleEndian.Uint32(head[8:])
}

// pass copies until from ends, and then ends to. An error closes both.
func pass(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = from.Close()
		_ = to.Close()
		return
	}
	_ = to.(*net.TCPConn).CloseWrite()
}
