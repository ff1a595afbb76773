// Package w3gs is the game protocol of Warcraft III as bytes: frames, every
// packet of the lobby and the game, the LAN datagrams and the stat string.
//
// Each packet is a struct with one list of its fields in wire order, which serves
// both ways. AppendTo appends the whole frame (header included) to a buffer and
// never fails; Decode reads the payload (header excluded) and fails with a
// *DecodeError on anything that is short, left over, out of range or wrongly
// summed. Integers are little-endian, except the port and address inside a
// SockAddr.
//
// The package knows no socket, no clock and no rule of the game. "Classic"
// means Warcraft III 1.07 to 1.28; later differences are fields of the packet.
package w3gs
