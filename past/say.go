package past

import (
	"strconv"
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// trigger begins the commands of viewers.
const trigger = "!"

// Somebody may say so many lines at once, and one more in each perLine.
const (
	atOnce  = 5
	perLine = 2 * time.Second
)

// fastest is the highest speed that can be asked for by a number.
const fastest = 64

// say shows a line to the client: from itself, since it has to come from somebody.
func (c *Client) say(line texts.Text, out *Out) { c.show(texts.Sentence(line).In(c.language), out) }

func (c *Client) show(line string, out *Out) {
	flag := w3gs.ChatLobby
	if c.inGame {
		flag = w3gs.ChatGame
	}
	for part, rest := texts.Cut(line, w3gs.MaxChatLen); part != ""; part, rest = texts.Cut(rest, w3gs.MaxChatLen) {
		out.send(&w3gs.ChatFromHost{Chat: w3gs.Chat{To: []uint8{c.tape.Seat}, From: c.tape.Seat, Flag: flag, Text: part}})
	}
}

// Hear shows a line of another viewer.
func (c *Client) Hear(line string, out *Out) {
	if c.state == watching {
		c.show(line, out)
	}
}

// hear takes a line of the client: a command, or something for all other viewers.
func (c *Client) hear(now time.Duration, line string, out *Out) {
	if c.lines.Take(now, perLine, atOnce*perLine) > 0 {
		return
	}
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 || !strings.HasPrefix(words[0], trigger) {
		out.Said, _ = texts.Cut(c.Name+": "+w3gs.PlainLine(line), w3gs.MaxChatLen) // a second line would have no name before it
		return
	}
	switch words[0][len(trigger):] {
	case "speed":
		c.changeSpeed(now, words[1:], out)
	case "where":
		c.say(texts.Of("You are at %s of %s.", texts.Clock(c.At()), texts.Clock(c.tape.time)), out)
	default:
		c.say(texts.Of("You can say %sspeed 1 to %d, %sspeed max and %swhere.", trigger, fastest, trigger, trigger), out)
	}
}

// changeSpeed sets how fast turns are sent.
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

// ParseSpeed reads a speed as people say it.
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

// Full returns the line to a client that comes too late.
func Full(watching int) texts.Text {
	return texts.Of("%v already: no more may.", texts.Count(watching, "%d watches", "%d watch"))
}

// SameAddress is the line to a client from whose address somebody plays.
var SameAddress = texts.Of("Somebody at your address plays in this game: you could see too much.")
