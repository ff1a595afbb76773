package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"w3host/control"
)

const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l" // alternate screen, no cursor, no line wrap
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	// sizeEvery is how often the terminal size is polled, because not all systems signal a resize.
	sizeEvery = 100 * time.Millisecond
)

// showTop shows the games on a terminal until the user quits or ctx is cancelled, and then restores the terminal.
func showTop(ctx context.Context, tty *os.File, out io.Writer, games []control.Game, of *topHost) error {
	state, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return fmt.Errorf("cannot control the terminal: %w", err)
	}
	defer func() { _ = term.Restore(int(tty.Fd()), state) }()
	_, _ = io.WriteString(out, enterScreen)
	defer func() { _, _ = io.WriteString(out, leaveScreen) }()
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	pressed, updates := make(chan string), make(chan func(*topScreen))
	go readKeys(ctx, tty, pressed)      // ends with the process
	go askOften(ctx, of.games, updates) // ends with ctx
	resized := time.NewTicker(sizeEvery)
	defer resized.Stop()
	canvas := canvas{out: out}
	screen := topScreen{sort: byStage}
	screen.update(games, nil)
	for {
		screen.width, screen.height = canvas.fit(tty)
		if err := canvas.draw(screen.lines()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-resized.C:
		case update := <-updates:
			update(&screen)
		case key, open := <-pressed:
			if !open || !screen.press(key) {
				return nil
			}
			if screen.typed.given {
				screen.typed.given = false
				order := screen.typed.order
				give := func(ctx context.Context) ([]string, error) { return of.order(ctx, order) }
				go askHost(ctx, give, (*topScreen).answered, updates) // ends with the answer or with ctx
			}
		}
	}
}

// askHost calls host with a time limit and passes the result to the screen, unless ctx is cancelled first.
func askHost[T any](ctx context.Context, host func(context.Context) (T, error), show func(*topScreen, T, error), updates chan<- func(*topScreen)) {
	within, cancel := context.WithTimeout(ctx, topWithin)
	defer cancel()
	answer, err := host(within)
	select {
	case <-ctx.Done():
	case updates <- func(s *topScreen) { show(s, answer, err) }:
	}
}

// askOften polls the games until ctx is cancelled.
func askOften(ctx context.Context, games func(context.Context) ([]control.Game, error), updates chan<- func(*topScreen)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(topEvery):
		}
		askHost(ctx, games, (*topScreen).update, updates)
	}
}

// sequences are the bytes that terminals send for special keys.
var sequences = []struct{ sent, key string }{
	{"\x1b[A", "up"},
	{"\x1bOA", "up"},
	{"\x1b[B", "down"},
	{"\x1bOB", "down"},
	{"\x1b[D", "left"},
	{"\x1bOD", "left"},
	{"\x1b[5~", "pgup"},
	{"\x1b[6~", "pgdn"},
	{"\x1b[H", "home"},
	{"\x1bOH", "home"},
	{"\x1b[1~", "home"},
	{"\x1b[F", "end"},
	{"\x1bOF", "end"},
	{"\x1b[4~", "end"},
	{"\r", "enter"},
	{"\n", "enter"},
	{"\x7f", "backspace"},
	{"\x03", "ctrl-c"},
	{"\x1b", "esc"},
}

// keyOf splits the first key off the bytes received from a terminal. key is "" for an unknown escape sequence.
func keyOf(sent string) (key, rest string) {
	for _, s := range sequences {
		if rest, ok := strings.CutPrefix(sent, s.sent); ok && (s.key != "esc" || rest == "") {
			return s.key, rest
		}
	}
	if sent[0] == '\x1b' { // skip an unknown escape sequence up to its final letter
		if end := strings.IndexAny(sent[1:], "~ABCDEFGHPQRSabcdefghijklmnopqrstuvwxyz"); end >= 0 {
			return "", sent[end+2:]
		}
		return "", ""
	}
	_, size := utf8.DecodeRuneInString(sent)
	return sent[:size], sent[size:]
}

// readKeys sends the keys pressed to pressed until the terminal is closed or ctx is cancelled.
func readKeys(ctx context.Context, tty io.Reader, pressed chan<- string) {
	defer close(pressed)
	buf := make([]byte, 256)
	for {
		n, err := tty.Read(buf)
		for sent := string(buf[:n]); sent != ""; {
			var key string
			key, sent = keyOf(sent)
			select {
			case <-ctx.Done():
				return
			case pressed <- key:
			}
		}
		if err != nil {
			return
		}
	}
}

// canvas remembers the lines on the terminal. It writes only lines that differ, with a single write, to avoid flicker.
type canvas struct {
	out           io.Writer
	width, height int
	shown         []topLine
}

// fit returns the terminal size, and forces a full redraw after a resize.
func (c *canvas) fit(tty *os.File) (width, height int) {
	width, height, err := term.GetSize(int(tty.Fd()))
	if err != nil || width < 2 || height < 1 {
		width, height = 80, 24
	}
	if width != c.width || height != c.height {
		c.width, c.height, c.shown = width, height, nil
	}
	return width, height
}

func (c *canvas) draw(lines []topLine) error {
	var b strings.Builder
	for i, line := range lines {
		if c.shown != nil && c.shown[i] == line {
			continue
		}
		fmt.Fprintf(&b, "\x1b[%d;1H", i+1)
		if line.strong {
			fmt.Fprintf(&b, "\x1b[7m%s\x1b[0m", line.text)
		} else {
			b.WriteString(line.text)
		}
		b.WriteString("\x1b[K")
	}
	c.shown = lines
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(c.out, b.String())
	return err
}
