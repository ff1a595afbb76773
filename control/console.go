package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"w3host/command"
	"w3host/game"
	"w3host/internal/terminal"
)

// prompt begins the line of a terminal.
const prompt = "> "

// Console is the host's own terminal or standard input, where commands are typed.
type Console struct {
	// Log is where the log goes: on a terminal, above the line that is being typed.
	Log io.Writer

	in      io.Reader      // nil where nobody types
	editor  *term.Terminal // of in, where it is a terminal that this program may take
	restore func()
}

// OpenConsole takes the terminal, if the host runs in its foreground: a program in
// the background that touched it would be stopped by the system. stdin is nil where
// nobody types; edit gives a line with history (arrow up) and completion (tab).
//
// Of the libraries for this, golang.org/x/term is the one that the Go project itself
// keeps, and it is needed for the state of the terminal anyway.
func OpenConsole(ctx context.Context, stdin io.Reader, stderr io.Writer, edit bool) *Console {
	c := &Console{in: stdin, Log: stderr, restore: func() {}}
	if !terminal.Is(stdin) {
		return c
	}
	tty := stdin.(*os.File)
	if !inForeground(tty) {
		c.in = nil
		return c
	}
	if !edit || !terminal.Is(stderr) {
		return c
	}
	fd := int(tty.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return c
	}
	c.restore = sync.OnceFunc(func() { _ = term.Restore(fd, state) })
	context.AfterFunc(ctx, c.restore) // a second Ctrl-C then ends the program
	keys := &keys{Reader: tty, Writer: stderr}
	c.editor = term.NewTerminal(keys, prompt)
	keys.hint = func() { _, _ = fmt.Fprintln(c.editor, "exit stops the host.") }
	c.editor.AutoCompleteCallback = complete
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = c.editor.SetSize(width, height)
	}
	c.Log = editorLog{c.editor, stderr.(*os.File)}
	return c
}

// Close restores the terminal's mode.
func (c *Console) Close() { c.restore() }

// editorLog writes above the line that is being typed.
type editorLog struct {
	*term.Terminal
	*os.File
}

func (l editorLog) Write(p []byte) (int, error) { return l.Terminal.Write(p) }

// keys filters Ctrl-C and Ctrl-D from what is typed: a terminal in raw mode does not
// turn them into a signal and an end of file.
type keys struct {
	io.Reader
	io.Writer
	hint func() // tells how to stop the host, after Ctrl-D
}

const (
	ctrlC = 3
	ctrlD = 4
)

func (k *keys) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if slices.Contains(p[:n], ctrlC) {
		interrupt()
	}
	if slices.Contains(p[:n], ctrlD) {
		k.hint()
	}
	typed := slices.DeleteFunc(p[:n], func(b byte) bool { return b == ctrlC || b == ctrlD })
	return len(typed), err
}

// interrupt does what Ctrl-C does on a terminal that is not raw.
func interrupt() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}

// read carries out what is typed, until the input or ctx ends.
func (c *Console) read(ctx context.Context, o *Operator) {
	next := c.editedLine
	if c.editor == nil {
		lines := bufio.NewScanner(c.in)
		next = func() (string, bool) { ok := lines.Scan(); return lines.Text(), ok }
	}
	say := func(text string) { _, _ = fmt.Fprintln(c.Log, text) }
	by := &command.Caller{Name: "console", Level: command.Root, Via: command.ViaConsole, Reply: say}
	for ctx.Err() == nil {
		line, ok := next()
		if !ok {
			return
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := o.do(ctx, by, 0, line); err != nil {
			say(err.Error())
		}
	}
}

// editedLine is the next line of the editor; not ok when the terminal is gone.
func (c *Console) editedLine() (line string, ok bool) {
	line, err := c.editor.ReadLine()
	return line, err == nil || errors.Is(err, term.ErrPasteIndicator)
}

// complete completes the name of a command: the first word, and the word after help and
// after eg and a number.
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
