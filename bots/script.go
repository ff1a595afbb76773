package bots

import (
	"fmt"
	"slices"
	"time"

	"w3host/w3gs"
)

// Script is a game that was played before: what its players did, in order.
type Script struct {
	Names []string // of the players, in the order in which they join
	Steps []Step
	Speed float64 // how many times as fast it is played; 0 is 1

	// InOrder keeps the order of actions also among players, whatever the machine
	// is busy with: one player acts in a turn, when the last one's have come back.
	InOrder bool
}

// Step is one thing that a player does.
type Step struct {
	At    time.Duration // game time
	Seat  int           // in Names
	Kind  StepKind
	Data  []byte // of an action
	Text  string // of a line
	Scope w3gs.ChatScope
	Leave w3gs.LeaveReason
}

// StepKind is what a player does.
type StepKind uint8

// Kinds of steps.
const (
	StepAct StepKind = iota
	StepSay
	StepLeave
)

// maxScriptBytes is what the bots of a game send in one turn at most: a script
// played fast does not flood its host.
const maxScriptBytes = 8 << 10

// scriptTime is when bots leave that have not come to the end of a script.
const scriptTime = 24 * time.Hour

func (s *Script) check() error {
	if len(s.Names) == 0 || s.Speed < 0 {
		return fmt.Errorf("script with %d players at %g times the speed: want some, and more than 0", len(s.Names), s.Speed)
	}
	for i, step := range s.Steps {
		if step.Seat < 0 || step.Seat >= len(s.Names) || len(step.Data) > w3gs.MaxActionLen {
			return fmt.Errorf("script: step %d is of player %d and has %d bytes", i, step.Seat, len(step.Data))
		}
	}
	return nil
}

// conduct plays the steps that are due, when every bot has seen the turn at
// hand. Hosts put actions into a turn in the order in which the players' packets
// reach them, and those of one player one after the other. So each bot says all
// it has to say about a turn with one write, the bots in the order of the steps,
// and a step of a bot that has had its say waits for the next turn.
func (g *game) conduct(now time.Duration) {
	var played time.Duration
	for _, p := range g.players {
		switch {
		case p.phase >= leaving:
		case !p.owes:
			return
		default:
			played = p.gameTime
		}
	}
	script := g.run.opts.Script
	order := g.perform(now, time.Duration(float64(played)*script.Speed))
	for _, p := range g.players {
		if p.owes && p.phase < leaving {
			p.pay()
			order = append(order, p)
			if g.step == len(script.Steps) && p.seen == p.sent {
				p.leave(now)
			}
		}
	}
	for _, p := range order {
		g.run.driver.attend(p)
	}
}

// perform plays steps up to a time of the script, and returns who has acted.
func (g *game) perform(now, due time.Duration) (order []*player) {
	steps := g.run.opts.Script.Steps
	for bytes := 0; g.step < len(steps) && bytes < maxScriptBytes; g.step++ {
		step := &steps[g.step]
		p := g.players[step.Seat]
		if p.phase >= leaving {
			continue
		}
		if step.At > due || !g.mayPerform(p, step, order) {
			break
		}
		if p.owes {
			p.pay()
			order = append(order, p)
		}
		bytes += len(step.Data)
		p.perform(now, step)
	}
	return order
}

// mayPerform reports whether a step can follow what others have done in this turn.
func (g *game) mayPerform(p *player, step *Step, order []*player) bool {
	inOrder := g.run.opts.Script.InOrder
	switch {
	case len(order) > 0 && order[len(order)-1] != p && (inOrder || !p.owes):
		return false
	case step.Kind == StepLeave && p.seen != p.sent:
		return false // the last to leave would take their actions along
	}
	return !inOrder || !g.acting(p)
}

// acting reports whether actions of others than p have not come back.
func (g *game) acting(p *player) bool {
	return slices.ContainsFunc(g.players, func(o *player) bool { return o != p && o.phase < leaving && o.seen != o.sent })
}

// pay sends the answers that have waited.
func (p *player) pay() {
	p.owes = false
	p.out = append(p.out, p.answers...)
	p.answers = p.answers[:0]
}

func (p *player) perform(now time.Duration, step *Step) {
	switch step.Kind {
	case StepAct:
		p.sent++
		p.performed = append(p.performed, step.Data)
		p.send(&w3gs.OutgoingAction{Data: step.Data})
	case StepSay:
		to := p.everyone()
		if step.Scope >= w3gs.ScopeSlot || len(to) == 0 || step.Text == "" {
			return // whom a private line was for cannot be told
		}
		p.send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: to, From: p.pid, Flag: w3gs.ChatGame, Scope: step.Scope, Text: step.Text}})
	case StepLeave:
		p.leaveAs(now, step.Leave)
	}
}

// ownStep is an action of a script that has come back.
func (p *player) ownStep(op w3gs.Op, data []byte) {
	if len(p.performed) == 0 || !slices.Equal(data, p.performed[0]) {
		p.fault(op, "own action % X comes back as another", data)
		return
	}
	p.performed = p.performed[1:]
	p.seen++
}
