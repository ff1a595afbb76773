//go:build linux

package host

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"w3host/game"
)

// rerunJournals runs all journals of the simulation again. Each must give the recorded bytes; that of a game which
// ended while its process lived must reach the end of the game.
func (w *simWorld) rerunJournals() {
	p := w.disk.Process(0)
	cut := len(w.deaths) > 0 || w.closed || !w.disk.workedSince(w.began) // a journal may end with the process, or where the disk failed
	for _, name := range w.disk.Files() {
		if filepath.Dir(name) != simJournals {
			continue
		}
		if strings.HasSuffix(name, ".part") {
			w.fault("the journal %s was never finished", name)
			continue
		}
		text, _ := p.ReadFile(name)
		result, err := rerunOf(text)
		switch {
		case cut && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		case err != nil:
			w.fault("journal %s: %v", name, err)
		case result.Cut && !cut:
			w.fault("journal %s is cut after %d inputs", name, result.Inputs)
		case !result.Checked && !cut:
			w.fault("journal %s holds no sum of the orders", name)
		default:
			w.reruns++
		}
	}
}

func rerunOf(text []byte) (game.Rerun, error) {
	zip, err := gzip.NewReader(bufio.NewReader(bytes.NewReader(text)))
	if err != nil {
		return game.Rerun{}, err
	}
	return game.RunJournal(zip, nil)
}
