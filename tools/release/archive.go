package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// entry adds a file or folder, whose contents come from r.
type entry func(name string, mode fs.FileMode, size int64, r io.Reader) error

// writeArchive packs a folder under its own name. Files belong to root; they can be
// read by all, and run where they could be before.
func writeArchive(file, folder string, at time.Time) error {
	return pack(file, at, func(add entry) error { return walk(folder, add) })
}

// pack writes an archive with what fill adds to it.
func pack(file string, at time.Time, fill func(add entry) error) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if strings.HasSuffix(file, ".zip") {
		z := zip.NewWriter(f)
		return errors.Join(fill(zipEntry(z, at)), z.Close())
	}
	g, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	t := tar.NewWriter(g)
	return errors.Join(fill(tarEntry(t, at)), t.Close(), g.Close())
}

// walk adds all that is in a folder, in the order of names.
func walk(folder string, add entry) error {
	above := filepath.Dir(filepath.Clean(folder))
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(above, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			return add(name+"/", fs.ModeDir|0o755, 0, strings.NewReader(""))
		}
		return addFile(add, name, path)
	})
}

func addFile(add entry, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	return add(name, mode, info.Size(), f)
}

func zipEntry(z *zip.Writer, at time.Time) entry {
	return func(name string, mode fs.FileMode, _ int64, r io.Reader) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.Copy(w, r)
		}
		return err
	}
}

func tarEntry(t *tar.Writer, at time.Time) entry {
	return func(name string, mode fs.FileMode, size int64, r io.Reader) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode.Perm()), Size: size, ModTime: at}
		if mode.IsDir() {
			h.Typeflag = tar.TypeDir
		}
		err := t.WriteHeader(h)
		if err == nil {
			_, err = io.Copy(t, r)
		}
		return err
	}
}
