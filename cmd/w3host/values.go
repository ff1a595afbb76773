package main

import (
	"errors"
	"strconv"
	"time"

	"w3host/config"
)

func parseBool(text string) (bool, error) {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("write true or false")
	}
	return b, nil
}

func parseInt(text string, into *int) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("write a whole number")
	}
	*into = n
	return nil
}

// parseLatency also takes plain milliseconds, which is what admins of older
// hosts type.
func parseLatency(text string, into *config.Duration) error {
	if n, err := strconv.Atoi(text); err == nil {
		*into = config.Duration(time.Duration(n) * time.Millisecond)
		return nil
	}
	return into.UnmarshalText([]byte(text))
}
