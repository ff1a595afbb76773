package loop

// writable continues writing when the socket has room again.
func (l *Loop) writable(c *Conn) {
	if c.blocked {
		c.blocked = false
		l.write(c)
	}
}

// write writes the queued packets of a connection, as far as the socket and the limits of a pass
// allow.
func (l *Loop) write(c *Conn) {
	c.dirty = false
	for left := passWrite; c.state != Closed && !c.blocked; {
		begun := len(c.out.rest) > 0
		buf, parts := c.out.take(l.chunk)
		if parts > 0 {
			c.Handler.Framed(parts)
		}
		if len(buf) == 0 {
			if c.state == Closing {
				c.Socket.CloseWrite()
			}
			return
		}
		most := min(len(buf), left)
		n, err := c.Socket.Write(buf[:most])
		if err != nil {
			c.Cut(err)
			return
		}
		c.moves++
		c.figuredAt = 0
		c.blocked = n < most
		if n < len(buf) {
			c.out.putBack(buf[n:], parts > 0)
		} else if parts == 0 && !begun {
			l.recycle(buf)
		}
		if left -= n; left == 0 {
			if !c.unwritten {
				c.unwritten = true
				l.unwritten = append(l.unwritten, c)
			}
			return
		}
	}
}
