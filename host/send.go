package host

import "w3host/w3gs"

// send queues a packet in front of any map part. Only the game's goroutine
// calls it (and the acceptor before there is a game). frame may be reused when
// it returns.
func (c *conn) send(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendLocked(frame)
}

// sendLast is send for a packet behind which nothing of the map may come; what
// waits of it is dropped.
func (c *conn) sendLast(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.dropPieces()
	c.sendLocked(frame)
}

// sendLocked is send with the lock held.
func (c *conn) sendLocked(frame []byte) {
	if c.done || c.closing {
		return
	}
	if !c.draining {
		n, err := c.write(frame)
		if err != nil {
			return // whoever reads sees the same broken connection
		}
		if n == len(frame) {
			return
		}
		c.out.rest = append(c.out.rest[:0], frame[n:]...)
		c.startDrain()
		return
	}
	if !c.out.push(frame) {
		c.abort(errOverflow)
	}
}

// sendPacket is send for the packets that are not worth a shared buffer.
func (c *conn) sendPacket(p w3gs.Packet) { c.send(p.AppendTo(nil)) }

// sendPiece queues a range of the map behind every packet.
func (c *conn) sendPiece(p piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.closing {
		return
	}
	c.out.pushPiece(p)
	if !c.draining {
		c.startDrain()
	}
}

// backlog is how many bytes of packets and of the map wait for the socket.
func (c *conn) backlog() (packets, pieces int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.packetBytes(), c.out.pieceBytes
}

// waiting is how many bytes of packets wait for the socket.
func (c *conn) waiting() int {
	packets, _ := c.backlog()
	return packets
}

// write hands bytes to the kernel without waiting.
func (c *conn) write(p []byte) (int, error) {
	if c.sock != nil {
		return c.sock.write(p)
	}
	return c.tryWrite(p)
}

// flush writes what waits, as far as the socket takes it; the reactor calls it
// when there is room.
func (c *conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.done {
		buf := c.out.take(nil)
		n, err := c.write(buf)
		if err != nil {
			c.abort(err)
			return
		}
		if n < len(buf) {
			c.out.rest = append(c.out.rest[:0], buf[n:]...)
			return
		}
		if len(buf) == 0 {
			c.draining = false
			c.sock.wantRoom(false)
			if c.closing {
				c.lastWords()
			}
			return
		}
	}
}

func (c *conn) startDrain() {
	c.draining = true
	if c.sock != nil {
		c.sock.wantRoom(true)
		return
	}
	go c.drain() // ends when the queue is empty or the socket broken
}

// drain writes the out queue, packets first, waiting as the socket demands.
func (c *conn) drain() {
	lent := drainBuffers.Get().(*[]byte)
	defer drainBuffers.Put(lent)
	for {
		c.mu.Lock()
		buf := c.out.take((*lent)[:0])
		if len(buf) == 0 || c.done {
			c.draining = false
			if c.closing && !c.done {
				c.lastWords()
			}
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if _, err := c.nc.Write(buf); err != nil {
			c.mu.Lock()
			c.draining, c.out = false, outQueue{limit: c.out.limit}
			c.abort(err)
			c.mu.Unlock()
			return
		}
	}
}
