package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// playsVersion is a name, and the version of the game that it was said to play.
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

// versionOf is the version that a joiner plays: as somebody has said, or else as the list
// tells in which version the lobby was found.
func (l *Lobby) versionOf(j Join) w3gs.Version {
	for _, p := range l.versions {
		if sameName(p.name, j.Req.Name) {
			return p.version
		}
	}
	return j.Version
}
