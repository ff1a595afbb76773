// Package w3gs encodes and decodes W3GS, the game protocol of Warcraft III: frames, every packet of the lobby
// and the game, the LAN discovery datagrams and the stat string, which describes a hosted game.
//
// Each packet is a struct that implements Packet, with a single list of its fields in wire order that serves
// both directions. AppendTo appends the whole frame, header included, to a buffer and never fails. Decode
// reads the payload, without header, and returns a *DecodeError if it is truncated, too long, out of range or
// has a wrong checksum. Integers are little-endian, except for the port and address inside a SockAddr. In the
// layouts, cstr is a NUL-terminated string.
//
// Version describes how clients of each game version differ. Stream splits the bytes of a TCP connection into
// frames; ParseDatagram does the same for LAN packets.
//
// The lobby, the running game, the LAN announcer, replays and the test clients use this package. It never
// touches a socket or a clock, and does not enforce rules of the game such as who may send a packet when.
// "Classic" means Warcraft III 1.07 to 1.28.
package w3gs
