package host

import (
	"time"

	"w3host/w3gs"
)

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
		c.moves++
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

// waiting is how many bytes of packets wait for the socket, and a number that
// changes whenever it takes some.
func (c *conn) waiting() (packets int, moves uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.packetBytes(), c.moves
}

// stuck is for how long the socket has taken nothing of what waits for it.
func (c *conn) stuck(now time.Duration) time.Duration {
	packets, moves := c.waiting()
	if packets == 0 || moves != c.sawMoves {
		c.sawMoves, c.movedAt = moves, now
	}
	return now - c.movedAt
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
		if n > 0 {
			c.moves++
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
	var err error
	defer func() {
		if err != nil {
			c.mu.Lock()
			c.draining, c.out = false, outQueue{limit: c.out.limit}
			c.abort(err)
			c.mu.Unlock()
		}
	}()
	defer c.caught(&err)
	var rest []byte
	for {
		if len(rest) == 0 {
			if rest = c.drainMore((*lent)[:0]); rest == nil {
				return
			}
		}
		var n int
		if n, err = c.nc.Write(rest[:min(len(rest), drainChunk)]); err != nil {
			return
		}
		rest = rest[n:]
		c.mu.Lock()
		c.moves++
		c.mu.Unlock()
	}
}

// drainMore takes what drain writes next; nil when there is nothing left.
func (c *conn) drainMore(buf []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves++ // what is taken now may arrive before the write returns
	if buf = c.out.take(buf); len(buf) > 0 && !c.done {
		return buf
	}
	c.draining = false
	if c.closing && !c.done {
		c.lastWords()
	}
	return nil
}
