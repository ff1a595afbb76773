package w3map

import (
	"encoding/binary"
	"fmt"
	"image"
)

const (
	tgaHeader = 18

	// Picture kinds; tgaPacked marks run-length encoding.
	tgaPalette = 1
	tgaColour  = 2
	tgaGrey    = 3
	tgaPacked  = 8

	tgaFromRight = 0x10
	tgaFromTop   = 0x20
)

// tga is a parsed TGA file: comment length u8 · has palette u8 · kind u8 · first palette index u16, palette
// entries u16, bits per entry u8 · x, y u16 · width, height u16 · bits per pixel u8 · direction u8 · comment
// · palette · pixels.
type tga struct {
	kind          byte
	width, height int
	depth         int // bytes per pixel
	direction     byte
	palette       []byte
	first, entry  int // index of the first palette entry; bytes per entry
	pixels        []byte
}

func decodeTGA(data []byte) (*image.NRGBA, error) {
	t, err := openTGA(data)
	if err != nil {
		return nil, err
	}
	if t.kind&tgaPacked != 0 {
		if err := t.unpack(); err != nil {
			return nil, err
		}
	}
	n := t.width * t.height
	if len(t.pixels) < n*t.depth {
		return nil, fmt.Errorf("%w: %d bytes for %d × %d pixels", errPicture, len(t.pixels), t.width, t.height)
	}
	out := image.NewNRGBA(image.Rect(0, 0, t.width, t.height))
	for i := range n {
		x, y := i%t.width, i/t.width
		if t.direction&tgaFromRight != 0 {
			x = t.width - 1 - x
		}
		if t.direction&tgaFromTop == 0 {
			y = t.height - 1 - y
		}
		t.colour(t.pixels[i*t.depth:(i+1)*t.depth], out.Pix[y*out.Stride+4*x:])
	}
	return ensureVisible(out), nil
}

func openTGA(data []byte) (*tga, error) {
	if len(data) < tgaHeader {
		return nil, fmt.Errorf("%w: no TGA header", errPicture)
	}
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	t := &tga{
		kind: data[2], width: u16(12), height: u16(14), depth: (int(data[16]) + 7) / 8, direction: data[17],
		first: u16(3), entry: (int(data[7]) + 7) / 8,
	}
	entries := 0
	if data[1] != 0 {
		entries = u16(5) * t.entry
	}
	rest := data[tgaHeader:]
	if int(data[0])+entries > len(rest) {
		return nil, fmt.Errorf("%w: it ends within its palette", errPicture)
	}
	rest = rest[data[0]:]
	t.palette, t.pixels = rest[:entries], rest[entries:]
	if err := checkSize(t.width, t.height); err != nil {
		return nil, err
	}
	ok := false
	switch t.kind &^ tgaPacked {
	case tgaPalette:
		ok = t.depth <= 2 && t.entry >= 2 && t.entry <= 4
	case tgaColour:
		ok = t.depth >= 2 && t.depth <= 4
	case tgaGrey:
		ok = t.depth <= 2
	}
	if !ok || t.depth == 0 {
		return nil, fmt.Errorf("%w: unknown TGA kind %d with %d bits", errPicture, t.kind, data[16])
	}
	return t, nil
}

// unpack expands run-length encoded pixels. A byte with the top bit set repeats the following pixel; one
// without it precedes literal pixels. The low seven bits are the count minus one.
func (t *tga) unpack() error {
	want := t.width * t.height * t.depth
	if want > 128*len(t.pixels)*t.depth {
		return fmt.Errorf("%w: %d bytes cannot hold %d × %d pixels", errPicture, len(t.pixels), t.width, t.height)
	}
	plain, in := make([]byte, 0, want), t.pixels
	for len(plain) < want {
		if len(in) < 1+t.depth {
			return fmt.Errorf("%w: it ends within its pixels", errPicture)
		}
		n, size := min((int(in[0]&0x7F)+1)*t.depth, want-len(plain)), t.depth
		if in[0]&0x80 == 0 {
			size = n
		}
		if len(in) < 1+size {
			return fmt.Errorf("%w: it ends within its pixels", errPicture)
		}
		for range n / size {
			plain = append(plain, in[1:1+size]...)
		}
		in = in[1+size:]
	}
	t.pixels = plain
	return nil
}

// colour writes the red, green, blue and alpha of a pixel to out.
func (t *tga) colour(p, out []byte) {
	switch t.kind &^ tgaPacked {
	case tgaGrey:
		out[0], out[1], out[2], out[3] = p[0], p[0], p[0], 255
		if len(p) == 2 {
			out[3] = p[1]
		}
		return
	case tgaPalette:
		index := int(p[0])
		if len(p) == 2 {
			index |= int(p[1]) << 8
		}
		at := (index - t.first) * t.entry
		if at < 0 || at+t.entry > len(t.palette) {
			out[3] = 255 // index outside the palette: black
			return
		}
		p = t.palette[at : at+t.entry]
	}
	out[3] = 255
	switch len(p) {
	case 2: // five bits per channel
		v := binary.LittleEndian.Uint16(p)
		for i := range 3 {
			out[2-i] = byte(int(v>>(5*i)&31) * 255 / 31)
		}
	case 4:
		out[3] = p[3]
		fallthrough
	default:
		out[0], out[1], out[2] = p[2], p[1], p[0]
	}
}
