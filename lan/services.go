package lan

import (
	"net/netip"
	"strings"
	"time"

	"w3host/lan/mdns"
	"w3host/protocol/w3gs"
)

// serviceQuestion returns the mDNS question for lobbies of 1.30 to 2.0, or nil for other versions.
func serviceQuestion(search w3gs.SearchGame) []byte {
	v := w3gs.Version(search.Version)
	if !v.UsesMDNS() {
		return nil
	}
	return mdns.Question(subtypeOf(search.Product, v))
}

// serviceReader converts mDNS answers to 0x30. It collects the records of an instance until they are complete.
type serviceReader map[serviceKey]*mdns.Instance

// serviceKey identifies an instance as announced by one host.
type serviceKey struct {
	from     netip.AddrPort
	instance string
}

// read processes an answer. It returns the lobbies that are now complete, and the next question, if any.
func (r serviceReader) read(datagram []byte, from netip.AddrPort) (out []message, more []byte) {
	for _, news := range mdns.Read(datagram) {
		key := serviceKey{from, strings.ToLower(news.Name)}
		e := r[key]
		if e == nil {
			if len(r) >= maxFound {
				clear(r) // limits the memory; real records are announced again
			}
			e = &mdns.Instance{}
			r[key] = e
		}
		if e.Update(news); e.Gone {
			delete(r, key)
			continue
		}
		if !e.Complete() {
			if len(news.Subtypes) > 0 {
				more = mdns.More(*e)
			}
			continue
		}
		at := from
		if e.Addr.IsValid() {
			at = netip.AddrPortFrom(e.Addr, from.Port())
		}
		for _, subtype := range e.Subtypes {
			if want, ok := searchOf(subtype); ok {
				if info, err := described(e.Data, want, time.Now()); err == nil {
					out = append(out, message{packet: info, from: at})
				}
			}
		}
	}
	return out, more
}

// searchOf returns the search for a subtype that clients of a version browse.
func searchOf(subtype string) (w3gs.SearchGame, bool) {
	for _, product := range []w3gs.Product{w3gs.ProductTFT, w3gs.ProductROC} {
		for _, v := range w3gs.Versions() {
			if v.UsesMDNS() && subtypeOf(product, v) == subtype {
				return w3gs.SearchGame{Product: product, Version: uint32(v)}, true
			}
		}
	}
	return w3gs.SearchGame{}, false
}
