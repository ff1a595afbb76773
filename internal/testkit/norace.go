//go:build !race

package testkit

// Race reports whether the race detector is enabled, which makes simulations eight times slower.
const Race = false
