// Package lan announces lobbies to the Warcraft III clients of a local network and
// searches for them, with UDP datagrams on port 6112.
//
// An Advertiser announces each open lobby (0x31), keeps it listed (0x32 every
// five seconds and on every change), answers searches (0x30 in answer to 0x2F) and
// takes it off the list (0x33). Search and Browse are the client's side, Relay joins
// both.
//
// The package owns its sockets and goroutines and never blocks its caller: Open,
// Update and Close only record the datagrams to send. Without a network it logs once
// and tries again.
package lan
