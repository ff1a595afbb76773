// Package mdns publishes services of this machine by multicast DNS (RFC 6762, RFC 6763),
// as hosts of Warcraft III 1.30 to 2.0 do, and reads the services that others publish.
//
// A Responder shares port 5353 with others on the machine, such as avahi or Bonjour. It
// has a socket for each interface and each of IPv4 and IPv6. The messages to send are derived
// from state: a question makes an answer due, and any number of questions within a
// second costs one. The package owns its sockets and goroutines; Set never waits.
package mdns
