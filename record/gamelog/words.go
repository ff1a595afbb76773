package gamelog

import (
	"cmp"
	"strings"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// endReason is how the game log calls an end of the turns.
func endReason(how gamesync.How) storage.EndReason {
	switch how {
	case gamesync.HowDesync:
		return storage.EndDesync
	case gamesync.HowEnded:
		return storage.EndStopped
	}
	return storage.EndFinished
}

func chatScope(e lobby.Said) storage.ChatScope {
	switch {
	case !e.Game:
		return storage.ChatLobby
	case e.Scope == w3gs.ScopeAll:
		return storage.ChatAll
	case e.Scope == w3gs.ScopeAllies:
		return storage.ChatAllies
	case e.Scope == w3gs.ScopeObservers:
		return storage.ChatObservers
	}
	return storage.ChatPrivate
}

// The game log's words for the choices of a lobby differ from those of the
// settings: rows of earlier games have them.

func speedName(s w3gs.GameSettings) string { return cmp.Or(w3gs.Speeds.Word(s), "fast") }

func visibilityName(s w3gs.GameSettings) string {
	return strings.ReplaceAll(cmp.Or(w3gs.Visibilities.Word(s), "default"), "-", " ")
}

func observersName(s w3gs.GameSettings) string {
	switch word := w3gs.ObserverChoices.Word(s); word {
	case "on":
		return "full"
	case "on-defeat":
		return "on defeat"
	case "referees":
		return word
	}
	return "none"
}
