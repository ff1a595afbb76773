package bots

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Script is a recorded game to play again: what its players did, in order.
type Script struct {
	Names []string // player names, in the order in which they join
	Steps []Step
	Speed float64 // factor of the original speed; 0 is 1

	// InOrder keeps the order of actions of different players: in each turn only one player acts, and only after the
	// actions of the previous one have come back.
	InOrder bool
}

// Step is one thing that a player did.
type Step struct {
	At    time.Duration // game time
	Seat  int           // index in Names
	Kind  StepKind
	Data  []byte // data of an action
	Text  string // text of a chat line
	Scope w3gs.ChatScope
	Leave w3gs.LeaveReason
}

// StepKind says what a step does.
type StepKind uint8

// Kinds of steps: an action, a chat line, and leaving the game.
const (
	StepAct StepKind = iota
	StepSay
	StepLeave
)

// maxScriptBytes limits the bytes of actions sent in one turn, so that a fast script does not flood the host.
const maxScriptBytes = 8 << 10

// scriptTime is the longest time that a script is played.
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

// playScript performs the steps that are due, once every bot has received the current turn. Hosts put actions into a
// turn in the order in which packets arrive. So each bot sends everything for a turn with one write, the bots send in
// the order of the steps, and a further step of a bot that has already sent waits for the next turn.
func (g *game) playScript(now time.Duration) {
	var played time.Duration
	for _, p := range g.present() {
		if !p.answerDue {
			return
		}
		played = p.gameTime
	}
	script := g.run.opts.Script
	order := g.playSteps(now, time.Duration(float64(played)*cmp.Or(script.Speed, 1)))
	for _, p := range g.present() {
		if p.answerDue {
			p.sendAnswers()
			order = append(order, p)
			if g.step == len(script.Steps) && p.seen == p.sent {
				p.leave(now)
			}
		}
	}
	for _, p := range order {
		g.loop.update(p)
	}
}

// playSteps performs steps up to the script's time due, and returns the players that acted, in order.
func (g *game) playSteps(now, due time.Duration) (order []*player) {
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
		if p.answerDue {
			p.sendAnswers()
			order = append(order, p)
		}
		bytes += len(step.Data)
		p.perform(now, step)
	}
	return order
}

// mayPerform reports whether the player may perform the step in this turn, after those in order.
func (g *game) mayPerform(p *player, step *Step, order []*player) bool {
	inOrder := g.run.opts.Script.InOrder
	switch {
	case len(order) > 0 && order[len(order)-1] != p && (inOrder || !p.answerDue):
		return false
	case step.Kind == StepLeave && p.seen != p.sent:
		return false // the player's last actions would be lost
	}
	waits := func(o *player) bool { return o != p && o.phase < leaving && o.seen != o.sent } // whether o waits for its actions to come back
	return !inOrder || !slices.ContainsFunc(g.players, waits)
}

// sendAnswers queues the answers to turns and pings that were held back.
func (p *player) sendAnswers() {
	p.answerDue = false
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
		to := p.known.list()
		if step.Scope >= w3gs.ScopeSlot || len(to) == 0 || step.Text == "" {
			return // the recipient of a private line is not recorded
		}
		p.send(&w3gs.ChatToHost{Chat: w3gs.Chat{To: to, From: p.pid, Flag: w3gs.ChatGame, Scope: step.Scope, Text: step.Text}})
	case StepLeave:
		p.leaveAs(now, step.Leave)
	}
}

// ownStep handles an own action of the script that has come back, which must be unchanged.
func (p *player) ownStep(op w3gs.Op, data []byte) {
	if len(p.performed) == 0 || !slices.Equal(data, p.performed[0]) {
		p.fault(op, "own action % X comes back as another", data)
		return
	}
	p.performed = p.performed[1:]
	p.seen++
}
