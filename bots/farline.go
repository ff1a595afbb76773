package bots

import (
	"errors"
	"net"
	"time"
)

// farChunks is how many reads may be on the way in each direction of a delayed connection.
const farChunks = 64

// chunk holds the bytes of one read; an empty one marks the end of the stream.
type chunk struct {
	bytes []byte
	due   time.Time
}

// far returns a connection to host on which bytes take oneWay longer in each direction.
func far(on Network, host net.Conn, oneWay time.Duration) (net.Conn, error) {
	bot, near, err := on.Pair()
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	delay(near, host, oneWay)
	delay(host, near, oneWay)
	return bot, nil
}

// delay copies bytes from one connection to the other, each read late by the given time. When one side ends, both are
// closed. It returns at once.
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
				_ = from.Close() // also ends the reading goroutine
			}
		}
	}()
}
