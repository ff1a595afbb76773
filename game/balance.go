package game

import (
	"slices"
	"strings"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/rating"
	"w3host/texts"
)

// Limits of balancing. Finding even teams takes up to 1.5 ms within them.
const (
	mostBalanced = 12
	mostTeams    = 4
)

// fairShare limits how uneven teams may be for an automatic start with balance: no team may have more than fairShare
// times its equal share of the odds to win.
const fairShare = 1.2

// rated stores a player's rating. It is called again when a realm has confirmed the name.
func (m *Machine) rated(s *seat, in *Input) {
	s.skill = new(in.Skill)
	if m.turns == nil {
		m.lobby.BalanceStale(m.now)
		m.checkEntry(s, in.Games)
	}
}

// checkEntry removes a player whose rating is outside the limits of the lobby. A name that its realm may still confirm
// is checked when that happens.
func (m *Machine) checkEntry(s *seat, games int) {
	e, points := m.cfg.Entry, s.skill.Points()
	p, _ := m.lobby.Player(s.PID)
	var why texts.Text
	switch {
	case s.realm != s.Realm, p.Spared, s.level >= command.Trusted:
		return
	case games < e.MinGames:
		why = texts.Of("%d rated games on this map are needed here, and you have %d", e.MinGames, games)
	case e.MinRating != 0 && points < e.MinRating:
		why = texts.Of("at least %d points on this map are needed here, and you have %d", e.MinRating, points)
	case e.MaxRating != 0 && points > e.MaxRating:
		why = texts.Of("at most %d points on this map are allowed here, and you have %d", e.MaxRating, points)
	default:
		return
	}
	m.try(lobby.Kick{PID: s.PID, Why: why})
}

// sides holds the playing humans of the lobby in slot order and the teams they are in.
type sides struct {
	players []lobby.Player
	skills  []rating.Skill
	teams   []uint8  // in ascending order
	waiting []string // players whose rating has not arrived
	known   bool     // at least one player has a rating
}

func (m *Machine) sides() (s sides) {
	for _, p := range m.lobby.Players() {
		if p.Observer {
			continue
		}
		s.players = append(s.players, p)
		skill := rating.Newcomer()
		if seat := m.seats[p.PID]; seat != nil && seat.skill != nil {
			s.known = s.known || *seat.skill != skill
			skill = *seat.skill
		} else {
			s.waiting = append(s.waiting, p.Name)
		}
		s.skills = append(s.skills, skill)
		if !slices.Contains(s.teams, p.Team) {
			s.teams = append(s.teams, p.Team)
		}
	}
	slices.Sort(s.teams)
	return s
}

// odds returns each team's probability of winning.
func (s *sides) odds() []float64 {
	teams := make([][]rating.Skill, len(s.teams))
	for i, p := range s.players {
		t := slices.Index(s.teams, p.Team)
		teams[t] = append(teams[t], s.skills[i])
	}
	return rating.Odds(teams)
}

// text formats the odds for the chat.
func (s *sides) text() texts.Text {
	var parts []texts.Text
	for i, p := range s.odds() {
		parts = append(parts, texts.Of("team %d %.0f %%", s.teams[i]+1, 100*p))
	}
	return texts.Join(parts, ", ")
}

// cannotBalance returns why these players cannot be balanced, or nil.
func (s *sides) cannotBalance() *texts.Refusal {
	switch {
	case len(s.teams) < 2:
		return texts.Refuse(texts.NoSuch, "balancing needs two teams with players")
	case len(s.teams) > mostTeams || len(s.players) > mostBalanced:
		return texts.Refuse(texts.OutOfRange, "at most %d players in %d teams can be balanced", mostBalanced, mostTeams)
	case s.waiting != nil:
		return texts.Refuse(texts.NotYet, "still looking up ratings: %s", strings.Join(s.waiting, ", "))
	}
	return nil
}

// balance moves players between teams to make them as even as possible.
func (m *Machine) balance() error {
	s := m.sides()
	if no := s.cannotBalance(); no != nil {
		return no
	}
	seats := make([]rating.Seat, len(s.players))
	for i, p := range s.players {
		seats[i] = rating.Seat{Skill: s.skills[i], Team: slices.Index(s.teams, p.Team)}
	}
	deal := rating.Balance(seats, len(s.teams))
	order := make([]uint8, len(seats)) // pid of the player who goes to the place of player i
	for i, team := range deal {
		place := i
		if team != seats[i].Team { // take the first free place in that team whose player also moves
			place = 0
			for seats[place].Team != team || deal[place] == team || order[place] != 0 {
				place++
			}
		}
		order[place] = s.players[i].PID
	}
	return m.try(lobby.Arrange{PIDs: order})
}

func balance(m *Machine, _ *call) error {
	if err := m.balance(); err != nil {
		return err
	}
	s := m.sides()
	return m.say(0, "The teams are balanced. Odds: %v.", s.text())
}

// announceOdds announces the odds at the countdown if any player has a rating.
func (m *Machine) announceOdds() {
	if s := m.sides(); s.known && len(s.teams) >= 2 {
		m.later(say{0, texts.Of("Odds: %v.", s.text())})
	}
}

// settleBalance balances a lobby that waits for that before its automatic start, and reports to the lobby whether the
// teams are even enough. It waits for ratings.
func (m *Machine) settleBalance() {
	if m.turns != nil || m.Over() || !m.lobby.AwaitsBalance() {
		return
	}
	s := m.sides()
	no := s.cannotBalance()
	if no != nil {
		if s.waiting == nil {
			m.lobby.BalanceResult(m.now, no.Text)
		}
		return
	}
	if m.balance() != nil {
		return // slots cannot change now; the next Step tries again
	}
	s = m.sides()
	var why texts.Text
	if odds := s.odds(); slices.Max(odds) > fairShare/float64(len(odds)) {
		why = texts.Of("the teams are uneven (%v)", s.text())
	}
	m.lobby.BalanceResult(m.now, why)
}
