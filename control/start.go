package control

import (
	"context"
	"fmt"
	"sync"

	"w3host/game/command"
)

// Start executes commands until ctx ends: those of chats and realms, the console, SIGHUP (reload), and the control
// socket unless its path is empty. The returned group is done when everything has ended, except reading standard input,
// which cannot be interrupted.
func (o *Operator) Start(ctx context.Context, socket string, console *Console) *sync.WaitGroup {
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	if socket != "" {
		s, err := listen(socket, o)
		if err != nil {
			o.opts.Log.Warn().Err(fmt.Errorf("control socket %s: %w", socket, err)).Msg("w3host ctl cannot reach this host")
		} else {
			running.Go(func() { s.serve(ctx) })
		}
	}
	running.Go(func() {
		onHangup(ctx, func() {
			if !console.gone() { // otherwise read stops the host
				o.CarryOut(ctx, "SIGHUP", reloadCommand)
			}
		})
	})
	console.operator.Store(o)
	if console.in != nil {
		go console.read(ctx, o) // ends with the process at the latest
	}
	return &running
}

// CarryOut executes a line that does not come from a person, such as the reload on SIGHUP, and logs the result. It waits
// for the result.
func (o *Operator) CarryOut(ctx context.Context, by, line string) {
	_ = o.do(ctx, &command.Caller{
		Name: by, Level: command.Root, Via: command.ViaConsole,
		Reply:  func(text string) { o.opts.Log.Info().Msg(text) },
		Refuse: func(why string) { o.opts.Log.Error().Msg(line + ": " + why) },
	}, 0, line)
}
