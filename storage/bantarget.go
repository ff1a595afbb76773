package storage

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"w3host/internal/network"
)

// BanTarget is a name or a network.
type BanTarget struct {
	Name    string
	Network netip.Prefix
}

// ParseBanTarget parses an admin's input: an address, a network in CIDR form, or otherwise a name. An IPv6
// address stands for its /64 network, because subscribers get a whole one; write 2001:db8::1/128 for a single
// address. "name:10.0.0.1" is the player with that name. Text that only resembles an address or a pattern is
// an error with a suggestion, because as a name it would match nobody.
func ParseBanTarget(text string) (BanTarget, error) {
	text = strings.TrimSpace(text)
	if name, ok := strings.CutPrefix(text, "name:"); ok && name != "" {
		return BanTarget{Name: name}, nil
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		return BanTarget{Network: network.Of(addr)}, nil
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case text == "":
		return BanTarget{}, errors.New("name a player, an address or a network")
	case err == nil && p.Addr().Is4In6():
		return BanTarget{}, fmt.Errorf("%q is an IPv4 network in IPv6 form: write %s", text, netip.PrefixFrom(p.Addr().Unmap(), max(p.Bits()-96, 0)).Masked()) // for example 10.0.0.0/8 for ::ffff:10.0.0.0/104
	case err == nil:
		return BanTarget{Network: p.Masked()}, nil
	case strings.Contains(text, "/"):
		return BanTarget{}, fmt.Errorf("%q is not a network: write it like 192.0.2.0/24, and a player of that name as name:%[1]s", text)
	}
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return BanTarget{}, fmt.Errorf("%q has a port: write %s", text, ap.Addr())
	}
	if strings.Trim(text, "0123456789.*-") == "" && strings.Contains(text, ".") {
		return BanTarget{}, fmt.Errorf("%q is not an address: write four numbers up to 255 like 192.0.2.1, a network like %s, and a player of that name as name:%[1]s",
			text, networkOf(text))
	}
	if strings.ContainsAny(text, "*?") {
		return BanTarget{}, fmt.Errorf("%q is a pattern, which bans do not support: write a whole name, an address like 192.0.2.1 or a network like 192.0.2.0/24, and a player of that name as name:%[1]s", text)
	}
	return BanTarget{Name: text}, nil
}

// networkOf guesses the network for the beginning of an address: 10.0.0.0/24 for 10.0.0. or 10.0.0.*.
func networkOf(text string) string {
	numbers := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	n := min(len(numbers), 3)
	numbers = append(numbers[:n:n], "0", "0", "0", "0")[:4]
	p, err := netip.ParsePrefix(fmt.Sprintf("%s/%d", strings.Join(numbers, "."), 8*n))
	if err != nil || n == 0 {
		return "192.0.2.0/24"
	}
	return p.String()
}
