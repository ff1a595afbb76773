package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"w3host/config"
)

func init() {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	zerolog.DurationFieldFormat = zerolog.DurationFormatString // with their unit: "554.4ms"
}

// newLogger writes for people on a terminal and JSON lines everywhere else.
func newLogger(c config.Log, w io.Writer) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	if !c.JSON && isTerminal(w) {
		return consoleLogger(w, level)
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// consoleLogger writes for people. NO_COLOR turns the colours off, as it does
// in other programs (https://no-color.org).
func consoleLogger(w io.Writer, level zerolog.Level) zerolog.Logger {
	out := console{out: w, colour: isTerminal(w) && os.Getenv("NO_COLOR") == "", all: level <= zerolog.DebugLevel}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}

// isTerminal is about a reader or a writer.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
