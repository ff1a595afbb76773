package main

import (
	"fmt"
	"net"
	"time"
)

// strangers is the number of connections without a join whose memory is measured, strangersEach of
// them from one address.
const strangers, strangersEach = 400, 40

// memoryOf prints a table of the memory that lobbies, connections and games add to the resident size
// of a host, and of its growth while the games run.
func (b *bench) memoryOf(s subject) error {
	fmt.Println("| lobbies or games | process without a lobby, MiB | KiB per lobby | KiB per connection without a join | KiB per game of 10 players | growth in the second half of the game, KiB a minute |")
	fmt.Println("|---|---|---|---|---|---|")
	empty, err := b.startHost(s.run, 0, 1)
	if err != nil {
		return err
	}
	time.Sleep(settled)
	base := memory(empty.host())
	empty.end()
	for _, n := range b.games {
		if err := b.memoryWith(s, n, base); err != nil {
			return fmt.Errorf("%d games: %w", n, err)
		}
	}
	return nil
}

// settled is how long after its start a host is measured.
const settled = 3 * time.Second

func (b *bench) memoryWith(s subject, games int, base int64) error {
	proc, err := b.startHost(s.run, games, 1)
	if err != nil {
		return err
	}
	defer proc.end()
	time.Sleep(settled)
	pid := proc.host()
	lobbies := memory(pid)
	connected, err := withStrangers(proc.ports[0], func() int64 { return memory(pid) })
	if err != nil {
		return err
	}
	time.Sleep(settled)
	before := memory(pid)
	length := time.Duration(b.seconds) * time.Second
	clients, err := b.begin(proc.ports[0], games, players, length, b.extra...)
	if err != nil {
		return err
	}
	time.Sleep(length / 2)
	half := memory(pid)
	time.Sleep(length * 3 / 8)
	grown := float64(memory(pid)-half) / (length * 3 / 8).Minutes()
	if _, err := clients.wait(); err != nil {
		return err
	}
	fmt.Printf("| %d | %.1f | %.1f | %.1f | %.1f | %.0f |\n", games, float64(base)/1024, float64(lobbies-base)/float64(games),
		float64(connected-lobbies)/strangers, float64(half-before)/float64(games), grown)
	return nil
}

// withStrangers calls do while connections are open on which nothing is sent.
func withStrangers(port int, do func() int64) (result int64, err error) {
	for i := range strangers {
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 2, byte(1+i/strangersEach))}}
		c, err := from.Dial("tcp4", local(port))
		if err != nil {
			return 0, err
		}
		defer c.Close()
	}
	time.Sleep(time.Second)
	return do(), nil
}
