// Package testkit provides helpers shared by the tests of several packages: a runner for text scripts, a test
// client, emulated lines, free ports and network namespaces. Only tests import it.
//
// The client is written from the protocol description, independently of package host, so that both sides of a
// test do not share the same mistake.
package testkit
