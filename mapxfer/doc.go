// Package mapxfer decides which part of the map goes to whom next.
//
// The exchange: the host asks with 0x3D, the client says in 0x42 what it holds,
// the host sends 0x3F once and then 0x43 parts of at most 1442 bytes. The client
// acknowledges with 0x44 or 0x42 (flag 3) and asks for parts again with 0x45.
//
// Two types share the work. Parts frames one map for all players of all lobbies:
// the bytes are never copied and each CRC is computed once. Scheduler holds what
// the players of one lobby have and want: windows, rates, fair shares, timeouts.
// It is pure: packets and the time go in by its methods, and what follows from a
// call goes to the caller's Sink before the call returns. The host turns stretches
// of the map into 0x43 frames with the help of Parts.
package mapxfer
