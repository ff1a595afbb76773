package gamelog

import (
	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// endReason returns the game log's reason for the end of a game.
func endReason(f *game.Over) storage.EndReason {
	switch {
	case f.Stopped:
		return storage.EndShutdown
	case f.Remade:
		return storage.EndRemade
	case f.Decided:
		return storage.EndFinished
	case f.How == gamesync.EndDesync:
		return storage.EndDesync
	case f.How == gamesync.EndEnded:
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
