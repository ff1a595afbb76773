package site

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
)

// baseName returns the file name of a map path, which may have slashes or backslashes.
func baseName(path string) string { return path[strings.LastIndexAny(path, `\/`)+1:] }

// pictureName returns the escaped file name of a map's picture.
func pictureName(file string) string { return url.PathEscape(baseName(file)) + ".png" }

// preview returns the path of a map's picture for link previews.
func preview(file string) string { return "/picture/large/" + pictureName(file) }

// sizes are the widths of pictures in pixels: in lists, and for link previews.
var sizes = map[string]int{"small": 96, "large": 256}

// picture sends the minimap of a map of the maps folder.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	file, isPNG := strings.CutSuffix(r.PathValue("file"), ".png")
	size := sizes[r.PathValue("size")]
	if !isPNG || len(file) > 250 || file != "" && file != filepath.Base(file) || size == 0 {
		http.NotFound(w, r)
		return
	}
	s.answer(w, r, fmt.Sprint("picture:", size, file), func(context.Context) (*made, error) {
		var m *made
		s.opts.Work(context.Background(), func() {
			drawn, err := s.opts.Minimap(file)
			if err != nil || drawn.Bounds().Empty() { // the map is gone, or has no picture
				m = finish(http.StatusNotFound, "image/png", encode(image.NewNRGBA(image.Rect(0, 0, 1, 1))), 0)
				return
			}
			m = finish(http.StatusOK, "image/png", encode(scaled(drawn, size)), finalFor)
		})
		return m, nil
	})
}

// scaled returns a square picture of the given width, averaging the original pixels. It drops the lowest bits of colours,
// which are not visible, to halve the file size.
func scaled(from image.Image, size int) image.Image {
	b, to := from.Bounds(), image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			x0, y0 := b.Min.X+x*b.Dx()/size, b.Min.Y+y*b.Dy()/size
			x1, y1 := max(x0+1, b.Min.X+(x+1)*b.Dx()/size), max(y0+1, b.Min.Y+(y+1)*b.Dy()/size)
			var red, green, blue, n uint32
			for i := x0; i < x1; i++ {
				for j := y0; j < y1; j++ {
					r, g, b, _ := from.At(i, j).RGBA()
					red, green, blue, n = red+r>>8, green+g>>8, blue+b>>8, n+1
				}
			}
			coarse := func(sum uint32) uint8 { return uint8(sum/n) & 0xf8 }
			to.SetNRGBA(x, y, color.NRGBA{coarse(red), coarse(green), coarse(blue), 255})
		}
	}
	return to
}

func encode(m image.Image) []byte {
	var b bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m) // to memory
	return b.Bytes()
}
