// Command release does work for scripts/release.sh that a shell does clumsily. The same
// input makes the same bytes; all times are SOURCE_DATE_EPOCH.
//
//	release archive FILE FOLDER   packs a folder into FILE: .tar.gz or .zip
//	release image FILE ARCHIVE    packs an image of Buildah's into FILE: .tar.gz
//	release sbom FILE PROGRAM     lists the modules in a Go program as CycloneDX
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	at := time.Unix(seconds, 0).UTC()
	write := map[string]func(file, source string, at time.Time) error{"archive": writeArchive, "image": writeImage, "sbom": writeSBOM}
	if len(args) != 3 || write[args[0]] == nil {
		return errors.New("usage: release archive|image|sbom FILE SOURCE")
	}
	return write[args[0]](args[1], args[2], at)
}
