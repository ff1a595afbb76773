// Package testkit is what the tests of several rooms share: the runner of text
// scripts, a client on the wire, a host for clients, an emulated line.
//
// Client and host are written from the description of the protocol, apart from
// package host, so that both sides of a test do not err alike.
package testkit
