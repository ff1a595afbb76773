package bots

import "w3host/internal/testkit"

// The kit's host for clients, in the words of these tests.
type (
	fakeHost = testkit.Host
	fakeGame = testkit.Game
	fakeConn = testkit.Guest
)

var startFakeHost = testkit.StartHost
