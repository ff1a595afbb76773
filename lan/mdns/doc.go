// Package mdns publishes lobbies by multicast DNS (RFC 6762, RFC 6763) as hosts of Warcraft III 1.30 to 2.0 do, and
// reads the services published by others.
//
// A Responder shares port 5353 with other responders on the machine, such as avahi or Bonjour. It has a socket for each
// interface and IP version. Messages to send are derived from state, so that any number of questions within a second
// causes one answer. The package owns its sockets and goroutines; Set never blocks. Only package lan uses it.
package mdns
