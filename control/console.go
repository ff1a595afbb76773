package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"

	"w3host/command"
	"w3host/game"
)

// prompt begins the line of a terminal.
const prompt = "> "

// Terminal reads lines with history (arrow up) and completion (tab). What is
// written to it stands above the line that is being typed. Of the libraries for
// this, golang.org/x/term is the one that the Go project itself keeps, and it is
// needed for the state of the terminal anyway.
type Terminal struct {
	*term.Terminal
	stream *stream
}

// stream passes on what is typed, but for the keys that end a program.
type stream struct {
	io.ReadWriter
	interrupt func()
	hint      func()
}

// Keys that a terminal in raw mode does not turn into signals and ends of files.
const (
	ctrlC = 3
	ctrlD = 4
)

// Read hands out what was typed.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadWriter.Read(p)
	if slices.Contains(p[:n], ctrlC) {
		s.interrupt()
	}
	if slices.Contains(p[:n], ctrlD) {
		s.hint()
	}
	typed := slices.DeleteFunc(p[:n], func(b byte) bool { return b == ctrlC || b == ctrlD })
	return len(typed), err
}

// NewTerminal makes one of a terminal in raw mode; interrupt is told of Ctrl-C.
func NewTerminal(rw io.ReadWriter, interrupt func()) *Terminal {
	s := &stream{ReadWriter: rw, interrupt: interrupt}
	t := &Terminal{term.NewTerminal(s, prompt), s}
	s.hint = func() { _, _ = fmt.Fprintln(t, "exit stops the host.") }
	t.AutoCompleteCallback = complete
	return t
}

// Console reads commands until the input ends.
type Console struct {
	operator *Operator
	out      io.Writer
}

// NewConsole answers to out.
func NewConsole(o *Operator, out io.Writer) *Console { return &Console{o, out} }

// Type reads from a terminal. Ctrl-D ends nothing: a host is stopped with exit.
func (c *Console) Type(ctx context.Context, t *Terminal) {
	for ctx.Err() == nil {
		line, err := t.ReadLine()
		if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
			return // the terminal is gone
		}
		c.do(ctx, line)
	}
}

// Read reads plain lines.
func (c *Console) Read(ctx context.Context, in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan() && ctx.Err() == nil; {
		c.do(ctx, lines.Text())
	}
}

func (c *Console) do(ctx context.Context, line string) {
	if line = strings.TrimSpace(line); line == "" {
		return
	}
	say := func(text string) { _, _ = fmt.Fprintln(c.out, text) }
	by := &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole, Reply: say}
	if err := c.operator.Do(ctx, by, 0, line); err != nil {
		say(err.Error())
	}
}

// complete completes the name of a command: at the beginning, behind help, and
// behind eg and a number.
func complete(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	before := line[:pos]
	at := strings.LastIndexByte(before, ' ') + 1
	var names []string
	switch words := strings.Fields(before[:at]); {
	case len(words) == 0:
		names = append(commandNames(commands), commandNames(game.PeopleCommands())...)
	case len(words) == 1 && words[0] == "help":
		names = append(commandNames(commands), commandNames(game.Commands())...)
	case len(words) == 2 && words[0] == "eg":
		names = commandNames(game.Commands())
	}
	part := before[at:]
	common, hits := "", 0
	for _, name := range names {
		if !strings.HasPrefix(name, part) {
			continue
		}
		if hits++; hits == 1 {
			common = name
		}
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	if hits == 0 {
		return line, pos, true
	}
	if hits == 1 {
		common += " "
	}
	return line[:at] + common + line[pos:], at + len(common), true
}

func commandNames[T any](t command.Table[T]) (names []string) {
	for _, s := range t {
		names = append(names, s.Name)
	}
	return names
}
