package gamelog

import (
	"net/netip"

	"github.com/rs/zerolog"

	"w3host/formats/w3map"
	"w3host/game"
)

// Lines writes the events of one game to the host's log.
type Lines struct {
	log   zerolog.Logger
	addr  netip.AddrPort
	file  string // map file name
	title string
}

// NewLines returns Lines that write to log, which already carries the game's name. addr is the address on
// which players join.
func NewLines(log zerolog.Logger, addr netip.AddrPort) *Lines { return &Lines{log: log, addr: addr} }

// Observe logs one event.
func (l *Lines) Observe(s *game.Stamped) {
	switch f := s.Fact.(type) {
	case *game.Acted, *game.Turned, *game.Settled, *game.Emptied: // too frequent to log: several times a second
	case *game.Opened:
		l.file, l.title = f.Config.Map.File, w3map.Plain(f.Config.Map.Name)
		l.log.Info().Str("name", f.Config.Name).Str("map", l.file).Int("slots", f.Counts.Total).
			Stringer("listen", l.addr).Msg("lobby open")
		if f.Config.Lobby.Admission.NamesShown {
			l.log.Warn().Str("map", l.file).Msg("names are not hidden: this is not a melee map, and clients would desync if its script uses player names; hide_names = \"always\" hides them anyway")
		}
	case *game.Joined:
		player(l.log.Info(), f.Player).Int("slot", f.Slot+1).Stringer("addr", f.Addr).Msg("player joined")
	case *game.Vouched:
		player(l.log.Info(), f.Player).Str("realm", f.Realm).Msg("name confirmed by the realm")
	case *game.JoinRefused:
		l.log.Info().Str("player", f.Name).Stringer("addr", f.Addr).Str("reason", f.Why).Msg("join refused")
	case *game.LacksMap:
		player(l.log.Debug(), f.Player).Uint32("has", f.Have).Msg("player does not have the map")
	case *game.LeftLobby:
		player(l.log.Info(), f.Player).Str("reason", f.Why).Msg("player left")
	case *game.LinkLost:
		player(l.log.Info(), f.Player).Stringer("addr", f.Addr).Str("reason", f.Why).Dur("waits", f.Wait).Msg("connection lost")
	case *game.LinkResumed:
		player(l.log.Info(), f.Player).Stringer("addr", f.Addr).Dur("away", f.Away).Msg("connection resumed")
	case *game.Said:
		l.log.Debug().Str("player", f.Name).Bool("muted", f.Muted).Str("text", f.Text).Msg("chat")
	case *game.Muted:
		l.log.Info().Str("player", f.Name).Dur("for", f.For).Msg("muted for flooding the chat")
	case *game.Counting:
		l.log.Info().Int("seconds", f.Seconds).Msg("countdown")
	case *game.CountStopped:
		l.log.Info().Str("reason", f.Why).Msg("countdown stopped")
	case *game.Closed:
		l.log.Info().Str("reason", f.Why).Msg("lobby closed")
	case *game.DownloadBegun:
		l.log.Info().Str("player", f.Name).Uint32("bytes", f.Size).Msg("map download begins")
	case *game.MapPacketIgnored:
		l.log.Debug().Str("player", f.Name).Stringer("reason", f.Why).Msg("map packet ignored")
	case *game.DownloadEnded:
		if f.Complete {
			l.log.Info().Str("player", f.Name).Uint32("bytes", f.Bytes).Uint64("resent", f.Resent).Dur("took", f.Took).
				Float64("kb_per_s", f.Speed()/1000).Msg("map downloaded")
		}
	case *game.Commanded:
		l.log.Info().Str("player", f.Caller.Name).Str("command", f.Line).Str("target", f.Target).Str("refused", f.Refused).Msg("command")
	default:
		l.play(s)
	}
}

// play logs events of a game that has started.
func (l *Lines) play(s *game.Stamped) {
	switch f := s.Fact.(type) {
	case *game.Started:
		l.log.Info().Str("map", l.file).Str("title", l.title).Int("players", len(f.Players)).
			Int("fakes", len(f.Fakes)).Str("hcl", f.HCL).Msg("game started, players are loading")
	case *game.Loaded:
		player(l.log.Info(), f.Player).Dur("after", f.After).Msg("player has loaded")
	case *game.AllLoaded:
		l.log.Info().Dur("after", f.After).Msg("all have loaded")
	case *game.PeriodChanged:
		l.log.Info().Dur("period", f.Period).Uint32("turn", f.Turn).Bool("adaptive", f.Adaptive).Msg("latency changed")
	case *game.ScreenUp:
		l.log.Info().Uint32("turn", f.Turn).Int("laggers", f.Laggers.Len()).Msg("lag screen up")
	case *game.Lagged:
		l.log.Warn().Uint32("turn", f.Turn).Dur("stood", f.Stood).Dur("host_late", f.HostLate).Msg(f.Line.String())
	case *game.Desynced:
		l.log.Error().Uint32("turn", f.Turn).Any("groups", f.Groups).Msg("desync")
	case *game.GameSaved:
		player(l.log.Info(), f.Player).Str("file", f.File).Dur("played", f.Played).Msg("game saved")
	case *game.Dropped:
		player(l.log.Warn(), f.Player).Uint32("turn", s.Turn).Str("reason", f.Why).Msg("player dropped")
	case *game.LeftGame:
		player(l.log.Info(), f.Player).Uint32("turn", s.Turn).Stringer("leave", f.Reason).Str("reason", f.Why).Msg("player left the game")
	case *game.Decided:
		l.log.Info().Str("reason", f.Why).Msg("decided by the players")
	case *game.Over:
		l.log.Info().Str("how", string(f.How)).Uint32("turns", f.Turns).Dur("played", f.GameTime).Msg("game over")
	}
}

func player(e *zerolog.Event, p game.Player) *zerolog.Event {
	return e.Str("player", p.Name).Uint8("pid", p.PID)
}
