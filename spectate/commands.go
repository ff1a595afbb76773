package spectate

import (
	"strconv"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// trigger is the prefix of spectators' commands.
const trigger = "!"

// A client may send atOnce chat lines at once, and one more per perLine.
const (
	atOnce  = 5
	perLine = 2 * time.Second
)

// fastest is the highest numeric speed.
const fastest = 64

// say shows a chat line to the client. The sender is the client itself, because it must be some player.
func (c *Client) say(line texts.Text, out *Out) { c.show(texts.Sentence(line).In(c.language), out) }

func (c *Client) show(line string, out *Out) {
	flag := w3gs.ChatLobby
	if c.inGame {
		flag = w3gs.ChatGame
	}
	for part, rest := texts.Cut(line, w3gs.MaxChatLen); part != ""; part, rest = texts.Cut(rest, w3gs.MaxChatLen) {
		out.send(&w3gs.ChatFromHost{Chat: w3gs.Chat{To: []uint8{c.recording.Seat}, From: c.recording.Seat, Flag: flag, Text: part}})
	}
}

// Hear shows the client a chat line of another spectator.
func (c *Client) Hear(line string, out *Out) {
	if c.state == watching {
		c.show(line, out)
	}
}

// hear processes a chat line of the client: a command, or a line for the other spectators.
func (c *Client) hear(now time.Duration, line string, out *Out) {
	if c.lines.Take(now, perLine, atOnce*perLine) > 0 {
		return
	}
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 || !strings.HasPrefix(words[0], trigger) {
		out.Said, _ = texts.Cut(c.Name+": "+w3gs.PlainLine(line), w3gs.MaxChatLen) // cut to one line, because a second one would lack the name
		return
	}
	switch words[0][len(trigger):] {
	case "speed":
		c.changeSpeed(now, words[1:], out)
	case "where":
		c.say(texts.Of("You are at %s of %s.", texts.Clock(c.At()), texts.Clock(c.recording.time)), out)
	default:
		c.say(texts.Of("You can say %sspeed 1 to %d, %sspeed max and %swhere.", trigger, fastest, trigger, trigger), out)
	}
}

// changeSpeed executes the speed command.
func (c *Client) changeSpeed(now time.Duration, words []string, out *Out) {
	speed, err := ParseSpeed(strings.Join(words, " "))
	if err != nil {
		c.say(texts.From(err), out)
		return
	}
	c.pace.advance(now)
	c.pace.set(speed)
	switch speed {
	case Max:
		c.say(texts.Of("As fast as your game can."), out)
	case 1:
		c.say(texts.Of("As fast as it was played."), out)
	default:
		c.say(texts.Of("%d times as fast as it was played.", int(speed)), out)
	}
	c.feed(now, out)
}

// ParseSpeed parses a playback speed: a number from 1 to fastest, optionally followed by x, or "max".
func ParseSpeed(text string) (Speed, error) {
	if text == "max" {
		return Max, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "x"))
	if err != nil || n < 1 || n > fastest {
		return 0, texts.Refuse(texts.Malformed, "a speed is a number from 1 to %d, or max", fastest)
	}
	return Speed(n), nil
}

// Full returns the refusal for a client when a game has its maximum number of spectators.
func Full(watching int) texts.Text {
	return texts.Of("This game already has its maximum of %v.", texts.Count(watching, "%d spectator", "%d spectators"))
}

// SameAddress is the refusal for a client from whose address somebody plays.
var SameAddress = texts.Of("A player at your address is in this game, so you cannot watch it.")
