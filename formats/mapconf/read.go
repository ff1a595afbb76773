package mapconf

import (
	"io"

	"w3host/formats/w3map"
)

// Read reads the map at path and applies its settings file. r holds the map file of size bytes.
func Read(r io.ReaderAt, size int64, path string, opts w3map.Options) (*w3map.Map, error) {
	m, err := w3map.Read(r, size, path, opts)
	if err != nil {
		return nil, err
	}
	beside, err := Load(w3map.ConfigName(path))
	if err != nil {
		return nil, err
	}
	return m, beside.Apply(m)
}
