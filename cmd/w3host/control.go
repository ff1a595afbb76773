package main

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"w3host/command"
	"w3host/config"
	"w3host/control"
)

// consoleInput is where commands are typed, and where the log goes beside them.
type consoleInput struct {
	in       io.Reader         // nil where nobody types
	terminal *control.Terminal // nil where in is none
	log      io.Writer
	restore  func()
}

// openConsole takes the terminal, if the host runs in its foreground: a program in
// the background that touched it would be stopped by the system.
func openConsole(ctx context.Context, c config.Config, stdin io.Reader, stderr io.Writer) *consoleInput {
	in := &consoleInput{in: stdin, log: stderr, restore: func() {}}
	if !c.Control.Console {
		in.in = nil
		return in
	}
	if !isTerminal(stdin) {
		return in
	}
	tty := stdin.(*os.File)
	if !inForeground(tty) {
		in.in = nil
		return in
	}
	if !isTerminal(stderr) || c.Log.JSON {
		return in
	}
	fd := int(tty.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return in
	}
	in.restore = sync.OnceFunc(func() { _ = term.Restore(fd, state) })
	context.AfterFunc(ctx, in.restore) // a second Ctrl-C is the system's again
	in.terminal = control.NewTerminal(struct {
		io.Reader
		io.Writer
	}{tty, stderr}, interrupt)
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = in.terminal.SetSize(width, height)
	}
	in.log = terminalLog{in.terminal, stderr.(*os.File)}
	return in
}

// terminalLog writes above the line that is being typed.
type terminalLog struct {
	*control.Terminal
	file *os.File
}

// interrupt does what Ctrl-C does on a terminal that is not raw.
func interrupt() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}

// close gives the terminal back.
func (in *consoleInput) close() { in.restore() }

// startControl opens the ways to the operator: console, control socket and the
// signal to reload. They end with ctx; reading standard input alone may outlive
// it, since nothing ends that.
func startControl(ctx context.Context, c config.Control, o *control.Operator, in *consoleInput, log zerolog.Logger) *sync.WaitGroup {
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	if c.Socket != "" {
		socket, err := control.Listen(c.Socket, o)
		if err != nil {
			log.Warn().Err(err).Msg("w3host ctl will not reach this host")
		} else {
			running.Go(func() { socket.Serve(ctx) })
		}
	}
	running.Go(func() {
		onHangup(ctx, func() {
			if in.terminal != nil {
				interrupt() // the terminal is gone
				return
			}
			by := &command.Caller{
				Name: "SIGHUP", Level: command.Root, Via: command.ViaConsole,
				Reply:  func(text string) { log.Info().Msg(text) },
				Refuse: func(why string) { log.Error().Msg("reload: " + why) },
			}
			_ = o.Do(ctx, by, 0, "reload")
		})
	})
	switch {
	case in.in == nil:
	case in.terminal != nil:
		go control.NewConsole(o, in.terminal).Type(ctx, in.terminal) // ends with the program, at the latest
	default:
		go control.NewConsole(o, in.log).Read(ctx, in.in)
	}
	return &running
}
