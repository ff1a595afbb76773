package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// playsVersion is the game version set for players of this name.
type playsVersion struct {
	name    string
	version w3gs.Version
}

func (op SetVersion) apply(l *Lobby) *texts.Refusal {
	i := slices.IndexFunc(l.versions, func(p playsVersion) bool { return sameName(p.name, op.Name) })
	switch {
	case i >= 0:
		l.versions[i].version = op.Version
	case len(l.versions) >= l.mostHeld():
		return texts.Refuse(texts.Full, "the versions of at most %d players can be set here", l.mostHeld())
	default:
		l.versions = append(l.versions, playsVersion{op.Name, op.Version})
	}
	return nil
}

// versionOf returns the game version of a joiner: the one set with SetVersion, otherwise that of the announcement
// through which the lobby was found.
func (l *Lobby) versionOf(j Join) w3gs.Version {
	for _, p := range l.versions {
		if sameName(p.name, j.Req.Name) {
			return p.version
		}
	}
	return j.Version
}
