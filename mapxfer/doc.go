// Package mapxfer schedules map downloads in a lobby: it decides which part of the map is sent to which
// player next.
//
// The protocol: the host asks with 0x3D, the client reports with 0x42 what it has, and the host sends 0x3F
// once and then 0x43 parts of at most 1442 bytes. The client acknowledges with 0x44 or 0x42 (flag 3) and
// requests retransmission with 0x45.
//
// Scheduler tracks what the players of one lobby have and need, and applies windows, rates, fair shares and
// timeouts. It is pure: packets and the time are passed to its methods, and it calls the caller's Sink before
// a method returns. Parts frames a map file for all players of all lobbies, without copying it and computing
// each CRC once. The game machine in package game owns a Scheduler; package host turns ranges of the map into
// 0x43 frames with Parts. The package does no I/O and has no clock or goroutines.
package mapxfer
