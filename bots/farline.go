package bots

import (
	"errors"
	"net"
	"time"
)

// farChunks is how many reads may be on the way in one direction of a far line.
const farChunks = 64

// chunk holds the bytes of one read; no bytes mark the end of the stream.
type chunk struct {
	bytes []byte
	due   time.Time
}

// far puts a line in front of a connection on which bytes take oneWay in either
// direction.
func far(on Network, host net.Conn, oneWay time.Duration) (net.Conn, error) {
	bot, near, err := on.Pair()
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	delay(near, host, oneWay)
	delay(host, near, oneWay)
	return bot, nil
}

// delay passes on the bytes that one connection reads to the other, late. When either side
// ends, so do both.
func delay(from, to net.Conn, late time.Duration) {
	way := make(chan chunk, farChunks)
	go func() { // ends with the connection
		defer close(way)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			if n > 0 {
				way <- chunk{buf[:n], time.Now().Add(late)}
			}
			if err != nil {
				way <- chunk{due: time.Now().Add(late)}
				return
			}
		}
	}()
	go func() { // ends with the reader
		defer from.Close()
		defer to.Close()
		for c := range way {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.bytes); err != nil {
				_ = from.Close() // the reader's end
			}
		}
	}()
}
