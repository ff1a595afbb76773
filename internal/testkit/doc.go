// Package testkit has helpers that the tests of several packages share: the runner of
// text scripts, a client on the wire, an emulated line.
//
// The client is written from the description of the protocol, apart from package
// host, so that both sides of a test do not err alike.
package testkit
