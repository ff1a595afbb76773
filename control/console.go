package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"

	"w3host/game/command"
	"w3host/internal/terminal"
)

// prompt begins the line of a terminal.
const prompt = "> "

// Console is the host's own terminal or standard input, where commands are typed.
type Console struct {
	// Log is where the log goes: on a terminal, above the line that is being typed.
	Log io.Writer

	in       io.Reader      // nil where nobody types
	tty      *os.File       // of in, where it is a terminal and this program is in its foreground
	editor   *term.Terminal // of tty, where lines are edited
	sizing   sync.Mutex
	size     [2]int // of tty, as the editor knows it; guarded by sizing
	restore  func()
	stop     func()                   // ends the host
	operator atomic.Pointer[Operator] // nil until the host runs
}

// ConsoleOptions are the parts and permissions of a console.
type ConsoleOptions struct {
	Commands bool   // are taken from it
	Edit     bool   // on a terminal, with history (arrow up) and completion (tab)
	Stop     func() // ends the host
}

// OpenConsole takes the terminal, if the host runs in its foreground: a program in
// the background that touched it would be stopped by the system. Until ctx ends, Ctrl-C
// stops the host; where somebody sits at a terminal and games run, the second one does.
//
// Of the libraries for this, golang.org/x/term is the one that the Go project itself
// keeps, and it is needed for the state of the terminal anyway.
func OpenConsole(ctx context.Context, stdin io.Reader, stderr io.Writer, o ConsoleOptions) *Console {
	c := &Console{in: stdin, Log: stderr, restore: func() {}, stop: o.Stop}
	go onSignal(ctx, os.Interrupt, c.interrupted) // of a terminal that is not raw, and from elsewhere; ends with ctx
	if tty, ok := stdin.(*os.File); ok && terminal.Is(tty) {
		if !inForeground(tty) {
			c.in = nil
			return c
		}
		c.tty = tty
	}
	if !o.Commands {
		c.in = nil
		return c
	}
	if c.tty == nil || !o.Edit || !terminal.Is(stderr) {
		return c
	}
	fd := int(c.tty.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return c
	}
	c.restore = sync.OnceFunc(func() { _ = term.Restore(fd, state) })
	context.AfterFunc(ctx, c.restore) // a further Ctrl-C then ends the program
	c.editor = term.NewTerminal(&keys{Writer: stderr, c: c}, prompt)
	c.editor.AutoCompleteCallback = c.complete
	c.fit()
	c.Log = &editorLog{c, stderr.(*os.File)}
	return c
}

// Close restores the terminal's mode, and takes the line that was being typed away.
func (c *Console) Close() {
	if log, ok := c.Log.(*editorLog); ok {
		_, _ = io.WriteString(log.file, lineStart)
	}
	c.restore()
}

// fit sets the editor's size to that of the terminal.
func (c *Console) fit() {
	c.sizing.Lock()
	defer c.sizing.Unlock()
	width, height, err := term.GetSize(int(c.tty.Fd()))
	if size := [2]int{width, height}; err == nil && width > 0 && size != c.size {
		c.size = size
		_ = c.editor.SetSize(width, height) // its output may fail as any log line may
	}
}

// editorLog writes above the line that is being typed.
type editorLog struct {
	c    *Console
	file *os.File
}

// lineStart moves the cursor to the margin. The editor has done so already, unless
// the input has wide characters, of which it counts one column each.
const lineStart = "\r\x1b[K"

func (l *editorLog) Write(p []byte) (int, error) {
	l.c.fit()
	if _, err := l.c.editor.Write(append([]byte(lineStart), p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Fd and Width make it a terminal for callers that ask.
func (l *editorLog) Fd() uintptr { return l.file.Fd() }

func (l *editorLog) Width() int { return terminal.Width(l.file) }

// say prints a line for the person at the console.
func (c *Console) say(text string) {
	if width := terminal.Width(c.Log); width != 0 {
		text = strings.Join(terminal.Wrap(terminal.Printable(text), width), "\n")
	}
	_, _ = fmt.Fprintln(c.Log, text)
}

// keys filters Ctrl-C and Ctrl-D from the input: a terminal in raw mode does not
// turn them into a signal and an end of file.
type keys struct {
	io.Writer
	c *Console
}

const (
	ctrlC = 3
	ctrlD = 4
)

func (k *keys) Read(p []byte) (int, error) {
	n, err := k.c.tty.Read(p)
	k.c.fit()
	if slices.Contains(p[:n], ctrlC) {
		k.c.interrupted()
	}
	if slices.Contains(p[:n], ctrlD) {
		k.c.say("exit stops the host.")
	}
	typed := slices.DeleteFunc(p[:n], func(b byte) bool { return b == ctrlC || b == ctrlD })
	return len(typed), err
}

// onSignal calls f for each signal of a kind until ctx ends.
func onSignal(ctx context.Context, kind os.Signal, f func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, kind)
	defer signal.Stop(signals)
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			f()
		}
	}
}

// interrupted stops the host, unless it can ask somebody who may not know that games
// would be lost.
func (c *Console) interrupted() {
	if o := c.operator.Load(); o != nil && c.tty != nil {
		if loss := o.loss(); loss != "" {
			c.say(loss)
			return
		}
	}
	c.stop()
}

// read carries out the lines typed, until the input or ctx ends.
func (c *Console) read(ctx context.Context, o *Operator) {
	next := c.editedLine
	if c.editor == nil {
		lines := bufio.NewScanner(c.in)
		next = func() (string, bool) { ok := lines.Scan(); return lines.Text(), ok }
	}
	for ctx.Err() == nil {
		line, ok := next()
		if !ok {
			if c.editor != nil {
				c.stop() // the terminal is gone
			}
			return
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var answered atomic.Bool
		by := &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole, Columns: terminal.Width(c.Log)}
		by.Reply = func(text string) {
			answered.Store(true)
			c.say(text)
		}
		if o.do(ctx, by, 0, line) != nil && !answered.Load() {
			c.say(errStopping.Error())
		}
	}
}

// editedLine is the next line of the editor; not ok when the terminal is gone.
func (c *Console) editedLine() (line string, ok bool) {
	line, err := c.editor.ReadLine()
	return line, err == nil || errors.Is(err, term.ErrPasteIndicator)
}

// gone reports whether the terminal has been closed, which sends SIGHUP, too.
func (c *Console) gone() bool { return c.tty != nil && !terminal.Is(c.tty) }
