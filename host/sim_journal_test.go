//go:build linux

package host

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"

	"w3host/game"
)

func (w *simWorld) journals() string { return filepath.Join(w.dir, "journals") }

// rerunJournals runs all journals of the simulation again. Each must give the recorded bytes; that of a game which
// ended while its process lived must reach the end of the game.
func (w *simWorld) rerunJournals() {
	files, err := os.ReadDir(w.journals())
	if err != nil {
		w.fault("no journals: %v", err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".part") {
			if w.closed {
				continue
			}
			w.fault("the journal %s was never finished", f.Name())
			continue
		}
		result, err := rerunOf(filepath.Join(w.journals(), f.Name()))
		switch {
		case err != nil:
			w.fault("journal %s: %v", f.Name(), err)
		case result.Cut:
			w.fault("journal %s is cut after %d inputs", f.Name(), result.Inputs)
		case !result.Checked && w.kills == 0: // else the game may be one that a death has ended
			w.fault("journal %s holds no sum of the orders", f.Name())
		default:
			w.reruns++
		}
	}
}

func rerunOf(name string) (game.Rerun, error) {
	f, err := os.Open(name)
	if err != nil {
		return game.Rerun{}, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return game.Rerun{}, err
	}
	return game.RunJournal(zip, nil)
}
