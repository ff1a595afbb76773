package gamelog

import (
	"w3host/lobby"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/w3gs"
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

func speedName(s w3gs.GameSettings) string {
	switch s & 3 {
	case w3gs.SpeedSlow:
		return "slow"
	case w3gs.SpeedNormal:
		return "normal"
	}
	return "fast"
}

func visibilityName(s w3gs.GameSettings) string {
	switch {
	case s&w3gs.VisibilityHideTerrain != 0:
		return "hide terrain"
	case s&w3gs.VisibilityExplored != 0:
		return "explored"
	case s&w3gs.VisibilityAlwaysVisible != 0:
		return "always visible"
	}
	return "default"
}

func observersName(s w3gs.GameSettings) string {
	switch {
	case s&w3gs.Referees != 0:
		return "referees"
	case s&w3gs.ObserversOn == w3gs.ObserversOn:
		return "full"
	case s&w3gs.ObserversOnDefeat != 0:
		return "on defeat"
	}
	return "none"
}
