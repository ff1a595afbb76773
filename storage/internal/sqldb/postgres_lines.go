package sqldb

import (
	"context"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// lines are the connections to a server. The pool waits for a server that
// hangs, some of its calls for 15 s; closing their sockets ends that.
type lines struct {
	dial pgconn.DialFunc

	mu   sync.Mutex
	open map[*line]struct{}
	over bool // no more
}

type line struct {
	net.Conn
	of *lines
}

func (l *lines) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	n := &line{conn, l}
	l.open[n] = struct{}{}
	return n, nil
}

// Close forgets the connection.
func (n *line) Close() error {
	n.of.mu.Lock()
	delete(n.of.open, n)
	n.of.mu.Unlock()
	return n.Conn.Close()
}

// cut ends all lines, whoever waits on them.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for n := range l.open {
		_ = n.Conn.Close() // its owner gets an error
	}
}
