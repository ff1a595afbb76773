package game

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"w3host/game/command"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Votes configures the players' votes. New replaces zero values by the defaults.
type Votes struct {
	Share    int           // percentage of the asked players who must agree; default 70
	Time     time.Duration // time to vote; default 1 minute
	Cooldown time.Duration // minimum time between two paced votes of the same caller; default 2 minutes
}

// poll is a question to players. It passes when in each group the share of Votes has said yes, and fails as soon as that
// has become impossible.
type poll struct {
	command string
	caller  command.Caller
	about   uint8      // pid of the player it is about, or 0
	needs   w3gs.PIDs  // players without whom the poll is void
	target  string     // names of the players it is about
	what    texts.Text // such as "kick Bob"
	groups  func() []w3gs.PIDs
	agreed  func()
	yes, no w3gs.PIDs
	until   time.Duration
	paced   bool // the caller's next poll must wait for Votes.Cooldown
}

// count is the current result of a poll.
type count struct {
	voters         w3gs.PIDs // players who can vote
	yes, needed    int
	passed, failed bool
}

func (m *Machine) count(p *poll) count {
	groups := p.groups()
	c := count{passed: len(groups) > 0, failed: len(groups) == 0}
	for _, group := range groups {
		ballots := func(of w3gs.PIDs) int { return m.ballots(of, group|w3gs.Only(p.about)) }
		yes, needed := ballots(p.yes&group), max((ballots(group)*m.cfg.Votes.Share+99)/100, 1)
		c.voters, c.yes, c.needed = c.voters|group, c.yes+yes, c.needed+needed
		c.passed = c.passed && yes >= needed
		c.failed = c.failed || ballots(group&^p.no) < needed
	}
	return c
}

// mostOfNetwork is the maximum number of votes from the addresses of one network (network.Wide).
const mostOfNetwork = 3

// ballots counts the votes of the players in of: one per address and at most mostOfNetwork per surrounding network, so
// that one person with many clients cannot decide for the others. Players whose names a realm has confirmed and those
// from exempt networks have a vote each; so do all players if everybody concerned has the same address, as on a host
// behind a container bridge.
func (m *Machine) ballots(of, all w3gs.PIDs) int {
	if m.haveOneAddress(all) {
		return of.Len()
	}
	own := 0
	var sources []netip.Addr
	for pid := range of.All() {
		s := m.seats[pid]
		if s == nil {
			continue
		}
		source, wide := s.source(), network.Wide(s.Addr.Addr())
		ofNetwork := 0
		for _, other := range sources {
			if wide.IsValid() && network.Wide(other) == wide {
				ofNetwork++
			}
		}
		switch {
		case !source.IsValid():
			own++
		case !slices.Contains(sources, source) && ofNetwork < mostOfNetwork:
			sources = append(sources, source)
		}
	}
	return own + len(sources)
}

// haveOneAddress reports whether all players have the same address and it is not known to be shared by many people.
func (m *Machine) haveOneAddress(all w3gs.PIDs) bool {
	var first netip.Addr
	for pid := range all.All() {
		if s := m.seats[pid]; s != nil {
			source := s.source()
			if !source.IsValid() || first.IsValid() && source != first {
				return false
			}
			first = source
		}
	}
	return true
}

// source returns the address under which a player's vote counts, or an invalid one if the player has a separate vote.
func (s *seat) source() netip.Addr {
	if s.shared || s.Realm != "" {
		return netip.Addr{}
	}
	return network.Base(s.Addr.Addr())
}

// poll returns the poll of a command in which a player can vote, or the latest of any command if name is empty.
func (m *Machine) poll(name string, pid uint8) *poll {
	for _, p := range slices.Backward(m.polls) {
		if (name == "" || p.command == name) && m.count(p).voters.Has(pid) {
			return p
		}
	}
	return nil
}

// openPoll opens a poll with its caller's yes. If a poll of the same command is open to the caller, the yes goes to that
// one.
func (m *Machine) openPoll(p *poll) error {
	if open := m.poll(p.command, p.caller.PID); open != nil {
		return m.vote(open, p.caller.PID, true)
	}
	if s := m.seats[p.caller.PID]; p.paced {
		if m.now < s.mayVote {
			return cannot("you just called a vote: wait %v", (s.mayVote - m.now).Round(time.Second))
		}
		s.mayVote = m.now + m.cfg.Votes.Cooldown
	}
	p.until = m.now + m.cfg.Votes.Time
	p.yes = w3gs.Only(p.caller.PID)
	m.polls = append(m.polls, p)
	m.announcePoll(p, texts.Of("%s wants to %v", p.caller.Name, p.what))
	return nil
}

// vote records a yes or no.
func (m *Machine) vote(p *poll, pid uint8, yes bool) error {
	with, against := &p.no, &p.yes
	if yes {
		with, against = against, with
	}
	if with.Has(pid) {
		return texts.Refuse(texts.TooLate, "you have already voted")
	}
	*with, *against = *with|w3gs.Only(pid), *against&^w3gs.Only(pid)
	m.announcePoll(p, texts.Of("The vote to %v", p.what))
	return nil
}

// announcePoll announces the state of a poll that is still open.
func (m *Machine) announcePoll(p *poll, who texts.Text) {
	if c := m.count(p); !c.passed && !c.failed {
		m.sayToAsked(p, texts.Of("%v: %d of %d votes needed so far. Type %syes or %[4]sno within %[5]v.", who, c.yes, c.needed,
			string(m.cfg.Trigger), (p.until-m.now).Round(time.Second)))
	}
}

// sayToAsked says a line to the players who can vote and to the one it is about.
func (m *Machine) sayToAsked(p *poll, text texts.Text) {
	if to := (m.count(p).voters | w3gs.Only(p.about)) & m.lobby.Humans(); to != 0 {
		m.sayText(to, text)
	}
}

// settlePolls ends the polls that are decided or whose time is over.
func (m *Machine) settlePolls() {
	open := m.polls
	m.polls = nil
	for _, p := range open {
		if m.Over() {
			return
		}
		switch c := m.count(p); {
		case c.passed:
			m.fact(&Commanded{
				Caller: p.caller, Line: p.command, Name: p.command, Target: p.target,
				Detail: fmt.Sprintf("agreed: %d of %d needed", c.yes, c.needed),
			})
			p.agreed()
		case c.failed || m.now >= p.until:
			m.sayToAsked(p, texts.Of("The vote to %v has failed.", p.what))
		default:
			m.polls = append(m.polls, p)
		}
	}
}

// forgetVoter removes a player who has left from all polls, because the pid may be given to another player.
func (m *Machine) forgetVoter(pid uint8) {
	for _, p := range m.polls {
		if p.yes, p.no = p.yes&^w3gs.Only(pid), p.no&^w3gs.Only(pid); p.caller.PID == pid {
			p.caller.PID = 0
		}
	}
	m.polls = slices.DeleteFunc(m.polls, func(p *poll) bool { return p.about == pid || p.needs.Has(pid) })
}
