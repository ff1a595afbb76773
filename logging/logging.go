// Package logging writes the log: JSON lines for programs, sentences for people on a
// terminal.
package logging

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"

	"w3host/config"
	"w3host/internal/terminal"
)

func init() {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	zerolog.DurationFieldFormat = zerolog.DurationFormatString // with their unit: "554.4ms"
}

const (
	// logLines is how many lines may wait for a terminal or pipe that does not
	// take them. Then the oldest are lost, and counted: no game waits for a log.
	logLines = 8192
	// logTimeout is how long they may take when the program ends.
	logTimeout = 300 * time.Millisecond
)

// New writes for people on a terminal and JSON lines everywhere else.
func New(c config.Log, w io.Writer) zerolog.Logger {
	return logTo(c, logSink(c, w))
}

// NewQueued is New with a queue before the terminal or pipe. flush
// writes what waits.
func NewQueued(c config.Log, w io.Writer) (log zerolog.Logger, flush func()) {
	sink := logSink(c, w)
	queue := diode.NewWriter(struct{ io.Writer }{sink}, logLines, 0, func(missed int) {
		lost := logTo(c, sink)
		lost.Warn().Int("lines", missed).Msg("log lines were lost: whoever reads the log is too slow")
	})
	return logTo(c, queue), func() {
		done := make(chan struct{})
		go func() { // ends when the lines are written, or with the program
			_ = queue.Close()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(logTimeout):
		}
	}
}

func logTo(c config.Log, w io.Writer) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// logSink turns lines into what people read where they do. NO_COLOR turns the
// colours off, as it does in other programs (https://no-color.org).
func logSink(c config.Log, w io.Writer) io.Writer {
	if c.JSON || !terminal.Is(w) {
		return w
	}
	return newConsole(w, c.Level == zerolog.LevelDebugValue)
}

func newConsole(w io.Writer, all bool) console {
	return console{out: w, colour: terminal.Is(w) && os.Getenv("NO_COLOR") == "", all: all}
}

// ForPeople writes sentences, wherever it writes to.
func ForPeople(w io.Writer, level zerolog.Level) zerolog.Logger {
	return zerolog.New(newConsole(w, level <= zerolog.DebugLevel)).Level(level).With().Timestamp().Logger()
}
