package admission

import (
	"net/netip"
	"strings"
	"time"

	"w3host/internal/network"
)

const (
	// leavesFactor is how many times the limit of one name at an address applies to all names at that address, since
	// players can share it.
	leavesFactor = 3
	// breakUpsFactor is how many times LobbyLeavesWithin an address may break up half of LobbyLeaves games in. Each
	// such game has cost all its players the wait for others.
	breakUpsFactor = 5
)

// NoteLeave counts that a player has left a lobby, or a game that had just begun. A player who joins and leaves
// again and again disturbs the players who wait there.
func (c *Control) NoteLeave(name string, addr netip.Addr, now time.Time) {
	if c.countsLeaves(addr) {
		c.leaves.Allow(now, nameAt(name, network.Base(addr)))
		c.leavesByAddr.allow(now, addr)
	}
}

// NoteBreakUp counts that the first player of an address has left a game that had just begun.
func (c *Control) NoteBreakUp(addr netip.Addr, now time.Time) {
	if c.countsLeaves(addr) {
		c.breakUps.allow(now, addr)
	}
}

// LeaveDelay returns how long a player who has left too many lobbies must wait before the next join; 0: not at all.
func (c *Control) LeaveDelay(name string, addr netip.Addr, now time.Time) time.Duration {
	if !c.countsLeaves(addr) {
		return 0
	}
	return max(c.leaves.Delay(now, nameAt(name, network.Base(addr))), c.leavesByAddr.delay(now, addr), c.breakUps.delay(now, addr))
}

func (c *Control) countsLeaves(addr netip.Addr) bool {
	return c.limits.LobbyLeaves > 0 && !c.Exempt(addr)
}

// nameAt is the key of a name at an address (network.Base). The name alone would not do, since anybody can use another player's
// name to use up that player's limit.
func nameAt(name string, base netip.Addr) string {
	return strings.ToLower(strings.TrimSpace(name)) + " " + base.String()
}
