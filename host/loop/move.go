package loop

// Move passes a connection to another loop after the current packet. handler creates its handler
// there, and limit is the maximum number of queued packet bytes. The old handler is not called
// again. If the other loop has ended, the connection is closed.
func (l *Loop) Move(c *Conn, to *Loop, limit int, handler func(*Conn) Handler) {
	if c.state != Open || c.in.moving {
		return
	}
	c.in.moving = true
	l.Call(func() { // bytes read behind the packet are in c.in by then
		if c.state != Open {
			return
		}
		at, addr := c.Stream(), c.Addr
		c.Socket.move(to, func(s Socket) *Conn {
			moved := to.resume(s, addr, at, limit)
			moved.in.behind = len(at.Rest) > 0
			moved.Handler = handler(moved)
			to.readSoon(moved)
			return moved
		})
		c.forget()
	})
}
