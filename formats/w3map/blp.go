package w3map

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"slices"
)

const (
	blpHeader   = 28
	blpMipmaps  = 16
	blpTables   = blpMipmaps * 2 * 4 // offsets and sizes; BLP1 only
	blpPalette  = 256 * 4
	blpJPEG     = 0
	blpPaletted = 1

	// maxPixels limits the size of a picture. Minimaps have 256 pixels a side and previews up to 1024.
	// Decoding a progressive JPEG takes 28 bytes of memory per pixel.
	maxPixels  = 1 << 20
	maxPicture = 8 << 20 // maxPicture limits the compressed picture with its mipmaps, in bytes.
	// maxScans limits decoding time, which grows with the number of JPEG scans; real files have ten.
	maxScans = 100
	// maxJPEGRatio limits the pixels per byte; a JPEG cannot hold much more than 64.
	maxJPEGRatio = 256
)

var startOfScan = []byte("\xFF\xDA")

var errPicture = errors.New("damaged picture")

// decodeBLP decodes a BLP, the game's own picture format: "BLP1" · kind u32 (0 JPEG, 1 palette) · alpha bits
// u32 · width u32 · height u32 · u32 2 · 16 × offset u32 · 16 × size u32 of the mipmaps, of which the first
// is the full picture · then n u32 and n bytes of shared JPEG header, or a palette of 256 × u32.
//
// A "BLP0" of the beta versions lacks the two tables and has its picture in a separate file, passed as
// outside.
func decodeBLP(data, outside []byte) (*image.NRGBA, error) {
	if len(data) < blpHeader || !bytes.HasPrefix(data, []byte("BLP0")) && !bytes.HasPrefix(data, []byte("BLP1")) {
		return nil, fmt.Errorf("%w: no BLP header", errPicture)
	}
	field := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	kind, alpha, width, height := field(4), field(8), field(12), field(16)
	if err := checkSize(width, height); err != nil {
		return nil, err
	}
	body, mipmap := data[blpHeader:], outside
	if data[3] == '1' {
		if len(body) < blpTables {
			return nil, fmt.Errorf("%w: it ends within its header", errPicture)
		}
		offset, size := field(blpHeader), field(blpHeader+blpMipmaps*4)
		body = body[blpTables:]
		offset = min(offset, len(data))
		mipmap = data[offset:min(len(data), offset+size)]
	}
	switch kind {
	case blpJPEG:
		return decodeBLPJPEG(body, mipmap, width, height, alpha > 0)
	case blpPaletted:
		return decodeBLPPalette(body, mipmap, width, height, alpha)
	default:
		return nil, fmt.Errorf("%w: unknown BLP kind %d", errPicture, kind)
	}
}

// checkSize refuses picture dimensions below 1 or above maxPixels in total.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > maxPixels || height > maxPixels || width*height > maxPixels {
		return fmt.Errorf("%w: it claims %d × %d pixels; the limit is %d pixels", errPicture, width, height, maxPixels)
	}
	return nil
}

// decodeBLPJPEG decodes a picture whose JPEG header is in body and whose data is in mipmap. The game's JPEGs
// store blue, green, red and alpha unconverted, which the JPEG package does not support. They are therefore
// marked and decoded as CMYK, whose values are inverted.
func decodeBLPJPEG(body, mipmap []byte, width, height int, alpha bool) (*image.NRGBA, error) {
	if len(body) < 4 {
		return nil, fmt.Errorf("%w: no JPEG header", errPicture)
	}
	n := int(binary.LittleEndian.Uint32(body))
	if n > len(body)-4 {
		return nil, fmt.Errorf("%w: a JPEG header of %d bytes", errPicture, n)
	}
	const mark = "\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00" // APP14 segment: no colour transformation
	file := make([]byte, 0, n+len(mipmap)+len(mark))
	file = append(append(file, body[4:4+n]...), mipmap...)
	if len(file) < 2 {
		return nil, fmt.Errorf("%w: no JPEG", errPicture)
	}
	file = slices.Insert(file, 2, []byte(mark)...)
	config, err := jpeg.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPicture, err)
	}
	if err := checkSize(config.Width, config.Height); err != nil {
		return nil, err
	}
	if config.Width*config.Height > maxJPEGRatio*len(file) {
		return nil, fmt.Errorf("%w: a JPEG of %d bytes claims %d × %d pixels", errPicture, len(file), config.Width, config.Height)
	}
	if n := bytes.Count(file, startOfScan); n > maxScans {
		return nil, fmt.Errorf("%w: a JPEG of %d scans", errPicture, n)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPicture, err)
	}
	out := image.NewNRGBA(image.Rect(0, 0, min(width, config.Width), min(height, config.Height)))
	inks, ok := decoded.(*image.CMYK)
	if !ok { // one or three channels, as tools other than the World Editor write
		draw.Draw(out, out.Rect, decoded, decoded.Bounds().Min, draw.Src)
		return out, nil
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			from, to := inks.Pix[y*inks.Stride+4*x:], out.Pix[y*out.Stride+4*x:]
			to[0], to[1], to[2], to[3] = 255-from[2], 255-from[1], 255-from[0], 255
			if alpha {
				to[3] = 255 - from[3]
			}
		}
	}
	return ensureVisible(out), nil
}

// decodeBLPPalette decodes a palette index per pixel, followed by an alpha value per pixel of 0, 1, 4 or 8
// bits, low bits first.
func decodeBLPPalette(body, mipmap []byte, width, height, alpha int) (*image.NRGBA, error) {
	if len(body) < blpPalette {
		return nil, fmt.Errorf("%w: it ends within its palette", errPicture)
	}
	n := width * height
	if alpha != 1 && alpha != 4 && alpha != 8 {
		alpha = 0
	}
	if len(mipmap) < n {
		mipmap = body[blpPalette:] // wrong mipmap table: assume that the pixels follow the palette
	}
	if len(mipmap) < n {
		return nil, fmt.Errorf("%w: %d bytes for %d × %d pixels", errPicture, len(mipmap), width, height)
	}
	if len(mipmap) < n+(n*alpha+7)/8 {
		alpha = 0
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, index := range mipmap[:n] {
		colour, to := body[4*int(index):], out.Pix[4*i:]
		to[0], to[1], to[2], to[3] = colour[2], colour[1], colour[0], 255
		if alpha > 0 {
			bits := mipmap[n+i*alpha/8] >> (i * alpha % 8)
			most := 1<<alpha - 1
			to[3] = byte(int(bits) & most * 255 / most)
		}
	}
	return ensureVisible(out), nil
}

// ensureVisible makes a fully transparent picture opaque, because such an alpha channel is unintended.
func ensureVisible(m *image.NRGBA) *image.NRGBA {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 0 {
			return m
		}
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}
