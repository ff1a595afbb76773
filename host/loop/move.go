package loop

// Move has another loop go on with a connection behind the packet at hand, with a handler that
// is made there; limit is how many bytes of packets may wait for it. The handler here is told
// nothing more, nor is one there if that loop has ended.
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
