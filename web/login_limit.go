package web

import (
	"net/netip"
	"strings"
	"time"

	"w3host/internal/network"
)

// tries limits the attempts to guess passwords and links, per address and per pair of address and
// name. The two are separate, so that an address that tries many names does not evict the entries
// of other addresses.
type tries struct {
	addrs *limiter[netip.Addr]
	names *limiter[try]
}

// try is a name that was tried from an address.
type try struct {
	from netip.Addr
	name string
}

const (
	// Within triesFor, an address may try one name triesPerName times, and all names together
	// triesPerAddr times.
	triesFor     = 15 * time.Minute
	triesPerName = 5
	triesPerAddr = 30
)

func newTries() tries {
	return tries{newLimiter[netip.Addr](triesPerAddr, triesFor), newLimiter[try](triesPerName, triesFor)}
}

// allow counts an attempt and reports whether it is within the limits. Each check takes 19 MiB of
// memory and a tenth of a second of CPU time, see Work.
func (t tries) allow(name string, addr netip.Addr) bool {
	from := network.Base(addr)
	folded := strings.ToLower(strings.ToUpper(name)) // one spelling of all that Store.Check takes for the same
	return t.addrs.allow(from) && t.names.allow(try{from, folded})
}
