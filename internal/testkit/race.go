//go:build race

package testkit

// Race is whether the race detector is on, with which simulations take eight times as long.
const Race = true
