// Package logging writes the log: as JSON lines for programs, or as sentences for people at a terminal. New and
// NewQueued return the zerolog.Logger of the process; sentences.go has the sentences.
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
	zerolog.DurationFieldFormat = zerolog.DurationFormatString // with unit: "554.4ms"
}

const (
	// logLines is the number of lines that can wait for a slow terminal or pipe. Beyond it the oldest are dropped and
	// counted, so that no game waits for the log.
	logLines = 8192
	// logTimeout is how long the end of the program waits for the log.
	logTimeout = 300 * time.Millisecond
)

// New returns a logger that writes sentences if w is a terminal and log.json is off, otherwise JSON lines.
func New(c config.Log, w io.Writer) zerolog.Logger {
	return logTo(c, logSink(c, w))
}

// NewQueued is New with a queue, so that writing never blocks. flush waits, for at most logTimeout, until the queue is
// written.
func NewQueued(c config.Log, w io.Writer) (log zerolog.Logger, flush func()) {
	sink := logSink(c, w)
	queue := diode.NewWriter(struct{ io.Writer }{sink}, logLines, 0, func(missed int) {
		lost := logTo(c, sink)
		lost.Warn().Int("lines", missed).Msg("log lines were dropped because the output is too slow")
	})
	return logTo(c, queue), func() {
		done := make(chan struct{})
		go func() { // ends when the lines are written, or with the process
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

// logSink returns the writer for log lines. NO_COLOR turns colours off (https://no-color.org).
func logSink(c config.Log, w io.Writer) io.Writer {
	if c.JSON || !terminal.Is(w) {
		return w
	}
	return newSentenceWriter(w, c.Level == zerolog.LevelDebugValue)
}

func newSentenceWriter(w io.Writer, all bool) sentenceWriter {
	return sentenceWriter{out: w, colour: terminal.Is(w) && os.Getenv("NO_COLOR") == "", all: all}
}

// ForPeople returns a logger that writes sentences to any writer.
func ForPeople(w io.Writer, level zerolog.Level) zerolog.Logger {
	return zerolog.New(newSentenceWriter(w, level <= zerolog.DebugLevel)).Level(level).With().Timestamp().Logger()
}
