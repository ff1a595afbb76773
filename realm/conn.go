package realm

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/time/rate"

	"w3host/realm/bncs"
	"w3host/realm/session"
)

// conn is one connection to a realm, including the attempt to establish it.
type conn struct {
	ctx    context.Context
	cancel context.CancelFunc
	events chan session.Event // closed when the connection has ended
	c      net.Conn           // set before Connected is delivered
}

var errFlood = errors.New("the realm sent thousands of packets per second")

// dial starts a connection. Its goroutine ends with the connection or with hangUp.
func (a *account) dial(ctx context.Context) *conn {
	ctx, cancel := context.WithCancel(ctx)
	k := &conn{ctx: ctx, cancel: cancel, events: make(chan session.Event, 16)}
	dialer := &net.Dialer{Timeout: session.AnswerWithin}
	if a.opts.Bind.IsValid() {
		dialer.LocalAddr = &net.TCPAddr{IP: a.opts.Bind.AsSlice()}
	}
	a.running.Go(func() { k.run(a.opts.Address, dialer) })
	return k
}

func (k *conn) run(address string, dialer *net.Dialer) {
	defer close(k.events)
	c, err := dialer.DialContext(k.ctx, "tcp", address)
	if err != nil {
		k.deliver(session.Lost{Why: err.Error()})
		return
	}
	defer c.Close()
	defer context.AfterFunc(k.ctx, func() { _ = c.Close() })()
	k.c = c
	var begin session.Connected
	_, _ = rand.Read(begin.Random[:])
	k.deliver(begin)
	err = k.read()
	if errors.Is(err, io.EOF) {
		err = errors.New("closed by the realm")
	}
	k.deliver(session.Lost{Why: err.Error()})
}

// deliver blocks until the account takes the event or has hung up.
func (k *conn) deliver(e session.Event) {
	select {
	case k.events <- e:
	case <-k.ctx.Done():
	}
}

func (k *conn) read() error {
	from := bufio.NewReaderSize(k.c, bncs.MaxFrame)
	frames := rate.NewLimiter(framesPerSecond, frameBurst)
	for {
		f, err := bncs.Read(from)
		if err != nil {
			return err
		}
		if !frames.Allow() {
			return errFlood
		}
		k.deliver(session.Received{Frame: f})
	}
}

// write sends bytes on an established connection. After an error it closes the socket, which ends read.
func (k *conn) write(b []byte) {
	_ = k.c.SetWriteDeadline(time.Now().Add(writeWithin))
	if _, err := k.c.Write(b); err != nil {
		_ = k.c.Close()
	}
}
