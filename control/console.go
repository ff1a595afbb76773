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

// prompt is the prompt of the console on a terminal.
const prompt = "> "

// Console is the terminal or standard input of the host process, on which the operator types commands.
type Console struct {
	// Log receives the log. On a terminal it prints above the line being typed.
	Log io.Writer

	in       io.Reader      // nil if no commands are read
	tty      *os.File       // the terminal behind in, or nil; set only if this process is in its foreground
	editor   *term.Terminal // line editor on tty, or nil
	sizing   sync.Mutex
	size     [2]int // size of tty last given to editor; guarded by sizing
	restore  func()
	stop     func()                   // stops the host
	operator atomic.Pointer[Operator] // nil until the host runs
}

// ConsoleOptions configures a Console.
type ConsoleOptions struct {
	Commands bool   // read commands
	Edit     bool   // line editing with history (arrow up) and completion (tab) on a terminal
	Stop     func() // stops the host
}

// OpenConsole takes control of the terminal if this process is in its foreground; the system would stop a background
// process that touched it. Until ctx ends, Ctrl-C stops the host; if games are running and stdin is a terminal, only a
// second Ctrl-C does.
//
// Line editing uses golang.org/x/term, which the terminal modes require anyway.
func OpenConsole(ctx context.Context, stdin io.Reader, stderr io.Writer, o ConsoleOptions) *Console {
	c := &Console{in: stdin, Log: stderr, restore: func() {}, stop: o.Stop}
	go onSignal(ctx, os.Interrupt, c.interrupted) // for Ctrl-C on terminals not in raw mode and signals from elsewhere; ends with ctx
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
	context.AfterFunc(ctx, c.restore) // from then on Ctrl-C ends the program
	c.editor = term.NewTerminal(&keys{Writer: stderr, c: c}, prompt)
	c.editor.AutoCompleteCallback = c.complete
	c.fit()
	c.Log = &editorLog{c, stderr.(*os.File)}
	return c
}

// Close restores the terminal mode and clears the line being typed.
func (c *Console) Close() {
	if log, ok := c.Log.(*editorLog); ok {
		_, _ = io.WriteString(log.file, lineStart)
	}
	c.restore()
}

// fit tells the editor the current size of the terminal.
func (c *Console) fit() {
	c.sizing.Lock()
	defer c.sizing.Unlock()
	width, height, err := term.GetSize(int(c.tty.Fd()))
	if size := [2]int{width, height}; err == nil && width > 0 && size != c.size {
		c.size = size
		_ = c.editor.SetSize(width, height) // an output error is ignored, as for other log lines
	}
}

// editorLog writes log lines above the line being typed.
type editorLog struct {
	c    *Console
	file *os.File
}

// lineStart moves the cursor to the left margin. The editor usually does that itself, but counts wide characters in the
// input as one column.
const lineStart = "\r\x1b[K"

func (l *editorLog) Write(p []byte) (int, error) {
	l.c.fit()
	if _, err := l.c.editor.Write(append([]byte(lineStart), p...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Fd and Width let callers treat editorLog as a terminal.
func (l *editorLog) Fd() uintptr { return l.file.Fd() }

func (l *editorLog) Width() int { return terminal.Width(l.file) }

// say prints a line on the console.
func (c *Console) say(text string) {
	if width := terminal.Width(c.Log); width != 0 {
		text = strings.Join(terminal.Wrap(terminal.Printable(text), width), "\n")
	}
	_, _ = fmt.Fprintln(c.Log, text)
}

// keys filters Ctrl-C and Ctrl-D from the input, since a terminal in raw mode does not turn them into a signal and an
// end of file.
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
		k.c.say("type exit to stop the host")
	}
	typed := slices.DeleteFunc(p[:n], func(b byte) bool { return b == ctrlC || b == ctrlD })
	return len(typed), err
}

// onSignal calls f for each signal of the given kind until ctx ends.
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

// interrupted handles Ctrl-C: it stops the host, but with running games on a terminal it first asks for a second Ctrl-C.
func (c *Console) interrupted() {
	if o := c.operator.Load(); o != nil && c.tty != nil {
		if loss := o.loss(); loss != "" {
			c.say(loss)
			return
		}
	}
	c.stop()
}

// read executes the typed lines until the input or ctx ends.
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
				c.stop() // the terminal was closed
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

// editedLine returns the next line of the editor, and false if the terminal was closed.
func (c *Console) editedLine() (line string, ok bool) {
	line, err := c.editor.ReadLine()
	return line, err == nil || errors.Is(err, term.ErrPasteIndicator)
}

// gone reports whether the terminal was closed. The system then sends SIGHUP as well.
func (c *Console) gone() bool { return c.tty != nil && !terminal.Is(c.tty) }
