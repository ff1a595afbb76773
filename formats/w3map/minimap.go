package w3map

import (
	"errors"
	"fmt"
	"image"
	"io"

	"w3host/formats/mpq"
)

// ErrNoPicture is returned if the map does not contain the requested picture.
var ErrNoPicture = errors.New("the map has no picture")

// Minimap decodes the overview picture that the game shows in the lobby. r holds the map file of size bytes.
func Minimap(r io.ReaderAt, size int64) (*image.NRGBA, error) { return picture(r, size, "war3mapMap") }

// Preview decodes the optional picture that the game shows in the lobby instead of the minimap.
func Preview(r io.ReaderAt, size int64) (*image.NRGBA, error) {
	return picture(r, size, "war3mapPreview")
}

func picture(r io.ReaderAt, size int64, name string) (*image.NRGBA, error) {
	a, err := mpq.Open(r, size)
	if err != nil {
		return nil, err
	}
	var failure error
	for _, kind := range []string{".blp", ".tga"} {
		data, err := readSmall(a, name+kind, maxPicture)
		if errors.Is(err, mpq.ErrNotFound) {
			continue
		}
		var m *image.NRGBA
		if err == nil && kind == ".tga" {
			m, err = decodeTGA(data)
		} else if err == nil {
			outside, _ := readSmall(a, name+".b00", maxPicture) // exists only in beta maps
			m, err = decodeBLP(data, outside)
		}
		if err == nil {
			return m, nil
		}
		failure = errors.Join(failure, fmt.Errorf("%s%s: %w", name, kind, err))
	}
	if failure == nil {
		failure = fmt.Errorf("%w %s.blp or %s.tga", ErrNoPicture, name, name)
	}
	return nil, failure
}
