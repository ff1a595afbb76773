// Package lan announces lobbies to Warcraft III clients on the local network and searches for them, with UDP datagrams
// on port 6112 and, for newer clients, multicast DNS (package mdns) or UDP port 16000.
//
// An Advertiser announces each open lobby (0x31), keeps it listed (0x32 every five seconds and on every change), answers
// searches (0x30 in answer to 0x2F) and removes it from lists (0x33). Packages daemon and host use it. Search and Browse
// are the client's side; a Mirror or Relay combines both to announce the lobbies of another host.
//
// The package owns its sockets and goroutines and never blocks its caller: Open, Update and Close only record what to
// send. Without a network it logs once and retries. It never opens or joins games itself, except that a Mirror can
// forward connections.
package lan
