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
	blpTables   = blpMipmaps * 2 * 4 // offsets and sizes, only in BLP1
	blpPalette  = 256 * 4
	blpJPEG     = 0
	blpPaletted = 1

	// Minimaps have 256 pixels a side, previews up to 1024. A progressive JPEG takes 28 bytes for each pixel until it is
	// decoded, so more pixels would take too much memory. Time goes by scans, of which real ones have ten.
	maxPixels  = 1 << 20
	maxPicture = 8 << 20 // bytes of the packed picture, with its smaller copies
	maxScans   = 100
	// A JPEG cannot hold much more than 64 pixels in a byte.
	maxJPEGRatio = 256
)

var startOfScan = []byte("\xFF\xDA")

var errPicture = errors.New("damaged picture")

// decodeBLP reads a picture of the game's own format: "BLP1" · u32 0 JPEG or 1 palette · u32 bits of alpha · u32 width,
// height · u32 2 · 16 × u32 offsets · 16 × u32 sizes of the mipmaps, of which the first is the picture · then u32 n and
// n bytes that begin each JPEG, or 256 colours of u32.
//
// A "BLP0", of the betas, lacks the two tables and has its picture in a file of its own, given as outside.
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
		return nil, fmt.Errorf("%w: unknown kind %d of BLP", errPicture, kind)
	}
}

// checkSize refuses sizes that a picture cannot have, or need not have.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > maxPixels || height > maxPixels || width*height > maxPixels {
		return fmt.Errorf("%w: it claims %d × %d pixels, and this decodes %d in all", errPicture, width, height, maxPixels)
	}
	return nil
}

// decodeBLPJPEG joins head and picture. The game's JPEGs have the four channels blue, green, red, alpha as they are,
// which is no combination that a JPEG decoder expects: they pass as CMYK, marked so, and are taken out inverted, since
// such files hold the inverse of the ink.
func decodeBLPJPEG(body, mipmap []byte, width, height int, alpha bool) (*image.NRGBA, error) {
	if len(body) < 4 {
		return nil, fmt.Errorf("%w: no JPEG header", errPicture)
	}
	n := int(binary.LittleEndian.Uint32(body))
	if n > len(body)-4 {
		return nil, fmt.Errorf("%w: a JPEG header of %d bytes", errPicture, n)
	}
	const mark = "\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00" // APP14, no transformation of colours
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
	if !ok { // one or three channels, as other programs than the World Editor write them
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
	return visible(out), nil
}

// decodeBLPPalette reads an index for each pixel, then the alpha of each, in 0, 1, 4 or 8 bits, low bits first.
func decodeBLPPalette(body, mipmap []byte, width, height, alpha int) (*image.NRGBA, error) {
	if len(body) < blpPalette {
		return nil, fmt.Errorf("%w: it ends within its palette", errPicture)
	}
	n := width * height
	if alpha != 1 && alpha != 4 && alpha != 8 {
		alpha = 0
	}
	if len(mipmap) < n {
		mipmap = body[blpPalette:] // the table of mipmaps is wrong
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
	return visible(out), nil
}

// visible makes a picture solid that is transparent everywhere: its alpha was never meant.
func visible(m *image.NRGBA) *image.NRGBA {
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
