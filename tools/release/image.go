package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// writeImage copies an image from "buildah push docker-archive:", without what differs
// from build to build: the name of the container in which it was made.
func writeImage(file, archive string, at time.Time) error {
	parts, err := readTar(archive)
	if err != nil {
		return err
	}
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(parts["manifest.json"], &manifest); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	m := &manifest[0]
	config, err := nameless(parts[m.Config])
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	m.Config = fmt.Sprintf("%x.json", sha256.Sum256(config))
	m.RepoTags = m.RepoTags[:1]
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	return pack(file, at, func(add entry) error {
		put := func(name string, part []byte) error {
			return add(name, fs.FileMode(0o644), int64(len(part)), bytes.NewReader(part))
		}
		err := errors.Join(put("manifest.json", text), put(m.Config, config))
		for _, layer := range m.Layers {
			err = errors.Join(err, put(layer, parts[layer]))
		}
		return err
	})
}

// nameless takes the container's name out of an image's configuration.
func nameless(config []byte) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(config, &all); err != nil {
		return nil, err
	}
	delete(all, "container")
	delete(all, "container_config")
	if c, ok := all["config"].(map[string]any); ok {
		delete(c, "Hostname")
	}
	return json.Marshal(all)
}

func readTar(file string) (map[string][]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	parts := map[string][]byte{}
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		if parts[h.Name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}
