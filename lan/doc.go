// Package lan shows lobbies to the Warcraft III clients of a local network, and
// finds them: UDP datagrams on port 6112.
//
// An Advertiser announces each open lobby (0x31), keeps it listed (0x32 every
// five seconds and on every change), describes it to whoever asks (0x30 in
// answer to 0x2F) and takes it off the list (0x33). Search is the client half.
//
// The package owns its sockets and goroutines and never holds up its caller:
// Open, Update and Close only note what is to be sent. A machine without a
// network is no fault; it is logged once and tried again.
package lan
