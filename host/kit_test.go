package host

import "w3host/internal/testkit"

// The words of the kit that nearly every test here uses.
type client = testkit.Client

const patience = testkit.Patience

var (
	dial       = testkit.Dial
	clientOn   = testkit.NewClient
	player     = testkit.Player
	lobbyist   = testkit.Lobbyist
	joinPacket = testkit.JoinPacket
	action     = testkit.ActionPacket
	packet     = testkit.Packet
	sum32      = testkit.Sum32
	matches    = testkit.Matches
	chatText   = testkit.ChatText
)
