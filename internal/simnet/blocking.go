package simnet

import (
	"io"
	"net"
	"net/netip"
	"os"
	"time"
)

// Read implements net.Conn; it blocks until data arrives.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		if c.late(&c.readBy) {
			return 0, c.wrap("read", os.ErrDeadlineExceeded)
		}
		n, _, err := c.TryRead(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, c.wrap("read", err)
		}
		if err := c.wait(c.readable, func() time.Time { return c.readBy }); err != nil {
			return 0, c.wrap("read", err)
		}
	}
}

// Write implements net.Conn; it blocks until there is space.
func (c *Conn) Write(p []byte) (done int, err error) {
	for {
		if c.late(&c.writeBy) {
			return done, c.wrap("write", os.ErrDeadlineExceeded)
		}
		n, err := c.TryWrite(p[done:])
		if done += n; done == len(p) || err != nil {
			return done, c.wrap("write", err)
		}
		if err := c.wait(c.writable, func() time.Time { return c.writeBy }); err != nil {
			return done, c.wrap("write", err)
		}
	}
}

// late reports whether a deadline has passed. As in package net, Read and Write then fail even if they could
// proceed.
func (c *Conn) late(by *time.Time) bool {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.holders > 0 && !by.IsZero() && !time.Now().Before(*by)
}

// wrap converts an error to one like those of package net.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}

func (c *Conn) wait(news chan struct{}, by func() time.Time) error {
	c.n.mu.Lock()
	at := by()
	c.n.mu.Unlock()
	if at.IsZero() {
		<-news
		return nil
	}
	left := time.Until(at)
	if left <= 0 {
		return os.ErrDeadlineExceeded
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	}
	return nil
}

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error { return c.deadline(&t, &t) }

// SetReadDeadline sets the deadline of Read, also for a blocked call.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.deadline(&t, nil) }

// SetWriteDeadline sets the deadline of Write, also for a blocked call.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.deadline(nil, &t) }

func (c *Conn) deadline(read, write *time.Time) error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	if read != nil {
		c.readBy = *read
		token(c.readable)
	}
	if write != nil {
		c.writeBy = *write
		token(c.writable)
	}
	return nil
}

// SetLinger with 0 makes Close reset the connection.
func (c *Conn) SetLinger(seconds int) error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.linger = seconds == 0
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(c.local) }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.remote) }

// Remote returns the address of the other end.
func (c *Conn) Remote() netip.AddrPort { return c.remote }
