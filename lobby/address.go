package lobby

import "strings"

// SameAddress is what to do about several players from one address.
type SameAddress string

// What may be done.
const (
	AllowSame  SameAddress = "allow"
	WarnSame   SameAddress = "warn" // everybody reads it
	RefuseSame SameAddress = "refuse"
)

// neighbours names the players who come from the address of a joiner.
func (l *Lobby) neighbours(ev Join) string {
	var names []string
	for p := range l.seated {
		if !p.fake && !p.shared && !ev.Shared && p.external.IP == ev.External.IP {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

// warnOfNeighbours tells everybody of a joiner who shares an address.
func (l *Lobby) warnOfNeighbours(name, others string) {
	if l.cfg.SameAddress == WarnSame && others != "" {
		l.say(0, "%s comes from the same address as %s.", name, others)
	}
}
