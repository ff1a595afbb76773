package loop

import (
	"time"

	"w3host/internal/simnet"
	"w3host/mapxfer"
)

// memSocket is a Socket for an in-memory connection.
type memSocket struct {
	p        *memPoller
	c        *simnet.Conn
	conn     *Conn
	set      *ready
	news     simnet.Event
	listed   bool // in set
	closed   bool
	isCopied bool
}

// has records that the socket is ready. The caller holds the lock of the network.
func (k *memSocket) has(e simnet.Event) {
	k.news |= e
	if k.listed {
		return
	}
	k.listed = true
	k.set.list = append(k.set.list, k)
	if k.set == k.p.own {
		k.p.wakeUp()
	}
}

func (k *memSocket) Read(b []byte) (int, bool, error) {
	if k.p.m.step(); k.p.m.dead.Load() {
		return 0, false, nil
	}
	n, more, err := k.c.TryRead(b)
	if err != nil && err.Error() == "EOF" {
		err = ErrClientClosed
	}
	return n, more, err
}

func (k *memSocket) Write(b []byte) (int, error) {
	if k.p.m.step(); k.p.m.dead.Load() {
		return 0, nil
	}
	return k.c.TryWrite(b)
}

func (k *memSocket) CloseWrite() {
	if k.p.m.step(); !k.p.m.dead.Load() {
		_ = k.c.CloseWrite()
	}
}

func (k *memSocket) Close() {
	k.p.m.step()
	if k.gone() {
		k.c.Reset()
	}
}

func (k *memSocket) release() {
	k.p.m.step()
	if k.gone() {
		_ = k.c.Close()
	}
}

// gone removes the socket. It returns false if the process is dead.
func (k *memSocket) gone() bool {
	k.closed = true
	if !k.p.m.disown(k.c) {
		return false
	}
	k.c.Notify(nil)
	return true
}

func (k *memSocket) copied() int {
	k.isCopied = true
	return k.c.File()
}

func (k *memSocket) move(to *Loop, begin func(Socket) *Conn) {
	k.gone()
	if !to.Call(func() {
		moved := to.poll.(*memPoller).socket(k.c)
		moved.isCopied = k.isCopied
		moved.conn = begin(moved)
		k.c.Notify(moved.has)
	}) {
		_ = k.c.Close()
	}
}

func (k *memSocket) watch(s *set) {
	to := k.p.own
	if s != nil {
		if s.ready == nil {
			s.ready = new(ready)
		}
		to = s.ready.(*ready)
	}
	if to == k.set {
		return
	}
	k.p.m.Locked(func() {
		for i, o := range k.set.list {
			if o == k {
				k.set.list = append(k.set.list[:i], k.set.list[i+1:]...)
				break
			}
		}
		k.set, k.listed, k.news = to, false, 0
	})
	k.c.Notify(k.has) // which reports what has come, as the system does
}

func (k *memSocket) Figures() (f mapxfer.Figures) {
	f.Unacked, f.MinRTT, f.RTT = k.c.Figures()
	return f
}

func (k *memSocket) Waited() time.Duration { return 0 }
