package w3map

import (
	"errors"
	"fmt"
	"image"
	"io"

	"w3host/formats/mpq"
)

// ErrNoPicture says that the map has no such picture.
var ErrNoPicture = errors.New("the map has no picture")

// Minimap decodes the picture of the whole map that the game shows in the lobby.
func Minimap(r io.ReaderAt, size int64) (*image.NRGBA, error) { return picture(r, size, "war3mapMap") }

// Preview decodes the picture that a map may have the game show in place of the minimap before the game.
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
			outside, _ := readSmall(a, name+".b00", maxPicture) // only betas have it
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
