package w3map

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"runtime"
	"strings"
	"testing"
)

// blp1 builds a picture with its table filled in.
func blp1(kind, alpha, width, height uint32, head, mipmap []byte) []byte {
	b := []byte("BLP1")
	for _, v := range []uint32{kind, alpha, width, height, 5, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	tables := make([]byte, blpTables)
	binary.LittleEndian.PutUint32(tables, uint32(blpHeader+blpTables+len(head)))
	binary.LittleEndian.PutUint32(tables[blpTables/2:], uint32(len(mipmap)))
	return bytes.Join([][]byte{b, tables, head, mipmap}, nil)
}

// palette has red, green and blue as its first colours.
func palette() []byte {
	p := make([]byte, blpPalette)
	copy(p, []byte{0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0})
	return p
}

var (
	red   = color.NRGBA{255, 0, 0, 255}
	green = color.NRGBA{0, 255, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
)

func TestBLPPalette(t *testing.T) {
	faint := func(c color.NRGBA, alpha uint8) color.NRGBA { c.A = alpha; return c }
	pixels := []byte{0, 1, 2, 0}
	for name, c := range map[string]struct {
		bits  uint32
		alpha []byte
		want  []color.NRGBA
	}{
		"none":              {0, nil, []color.NRGBA{red, green, blue, red}},
		"one bit":           {1, []byte{0b1011}, []color.NRGBA{red, green, faint(blue, 0), red}},
		"four bits":         {4, []byte{0x0F, 0xF8}, []color.NRGBA{red, faint(green, 0), faint(blue, 136), red}},
		"eight bits":        {8, []byte{255, 1, 2, 3}, []color.NRGBA{red, faint(green, 1), faint(blue, 2), faint(red, 3)}},
		"all transparent":   {8, []byte{0, 0, 0, 0}, []color.NRGBA{red, green, blue, red}},
		"alpha not there":   {8, nil, []color.NRGBA{red, green, blue, red}},
		"unknown bit count": {7, nil, []color.NRGBA{red, green, blue, red}},
	} {
		m, err := decodeBLP(blp1(1, c.bits, 2, 2, palette(), append(pixels[:4:4], c.alpha...)), nil)
		check(t, name, m, err, 2, c.want)
	}
	lying := blp1(1, 0, 2, 2, palette(), pixels)
	binary.LittleEndian.PutUint32(lying[blpHeader:], 0xFFFFFFFF)
	m, err := decodeBLP(lying, nil)
	check(t, "table that lies", m, err, 2, []color.NRGBA{red, green, blue, red})

	beta := append(append([]byte("BLP0"), lying[4:blpHeader]...), palette()...)
	m, err = decodeBLP(beta, pixels)
	check(t, "beta", m, err, 2, []color.NRGBA{red, green, blue, red})
}

// blpJPEGPicture makes a JPEG of the four channels blue, green, red and alpha as the World Editor has them, each of one
// flat value. Go writes no such JPEG, so that the tables are taken from one of a single channel.
func blpJPEGPicture(t testing.TB) []byte {
	t.Helper()
	var grey bytes.Buffer
	if err := jpeg.Encode(&grey, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	file := grey.Bytes()
	sof := bytes.Index(file, []byte{0xFF, 0xC0})
	sos := bytes.Index(file, []byte{0xFF, 0xDA})
	head := append([]byte{}, file[:sof]...)
	head = append(head, 0xFF, 0xC0, 0, 8+3*4, 8, 0, 8, 0, 8, 4)
	for id := range byte(4) {
		head = append(head, id+1, 0x11, 0)
	}
	head = append(head, file[sof+13:sos]...)
	scan := []byte{0xFF, 0xDA, 0, 6 + 2*4, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0}
	// In the standard table for luminance 00 is a difference of 0, 011 and two bits one of 2 or 3, 1110 and six bits one
	// of 32 to 63, 1010 the end of a block. At quality 75 one of them is one step of the channel.
	bits := "00" + "1010" + // blue stays 128
		"011" + "00" + "1010" + // green is 3 less
		"1110" + "000000" + "1010" + // red is 63 less
		"1110" + "111111" + "1010" // alpha is 63 more
	for len(bits)%8 != 0 {
		bits += "1"
	}
	for i := 0; i < len(bits); i += 8 {
		var b byte
		for _, bit := range bits[i : i+8] {
			b = b<<1 | byte(bit-'0')
		}
		scan = append(scan, b)
		if b == 0xFF {
			scan = append(scan, 0)
		}
	}
	scan = append(scan, 0xFF, 0xD9)
	shared := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	return blp1(0, 0, 8, 8, append(shared, head...), scan)
}

func TestBLPJPEG(t *testing.T) {
	m, err := decodeBLP(blpJPEGPicture(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.NRGBAAt(3, 3), (color.NRGBA{65, 125, 128, 255}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	withAlpha := blpJPEGPicture(t)
	withAlpha[8] = 8
	if m, err = decodeBLP(withAlpha, nil); err != nil || m.NRGBAAt(0, 0).A != 191 {
		t.Errorf("got %v %v, want an alpha of 191", m, err)
	}
}

func TestTGA(t *testing.T) {
	head := func(kind, depth, direction byte) []byte {
		b := make([]byte, tgaHeader)
		b[2], b[12], b[14], b[16], b[17] = kind, 2, 2, depth, direction
		return b
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	r, g, b := []byte{0, 0, 255}, []byte{0, 255, 0}, []byte{255, 0, 0}
	solid := []byte{255}
	comment := head(2, 24, 0x20)
	comment[0] = 3
	mapped := head(1, 8, 0x20)
	mapped[1], mapped[5], mapped[7] = 1, 3, 24
	want := []color.NRGBA{red, green, blue, red}
	for name, data := range map[string][]byte{
		"24 bits from the top":    join(head(2, 24, 0x20), r, g, b, r),
		"24 bits from the bottom": join(head(2, 24, 0), b, r, r, g),
		"24 bits from the right":  join(head(2, 24, 0x30), g, r, r, b),
		"with a comment":          join(comment, []byte("abc"), r, g, b, r),
		"32 bits":                 join(head(2, 32, 0x20), r, solid, g, solid, b, solid, r, solid),
		"16 bits":                 join(head(2, 16, 0x20), []byte{0, 0x7C, 0xE0, 0x03, 0x1F, 0, 0, 0x7C}),
		"32 bits packed":          join(head(10, 32, 0x20), []byte{0x80}, r, solid, []byte{1}, g, solid, b, solid, []byte{0xFF}, r, solid),
		"24 bits packed":          join(head(10, 24, 0x20), []byte{3}, r, g, b, r),
		"a palette":               join(mapped, r, g, b, []byte{0, 1, 2, 0}),
	} {
		m, err := decodeTGA(data)
		check(t, name, m, err, 2, want)
	}
	m, err := decodeTGA(join(head(3, 8, 0x20), []byte{0, 1, 2, 255}))
	check(t, "grey", m, err, 2, []color.NRGBA{{0, 0, 0, 255}, {1, 1, 1, 255}, {2, 2, 2, 255}, {255, 255, 255, 255}})
	m, err = decodeTGA(join(mapped, r, g, b, []byte{9, 1, 2, 0}))
	check(t, "colour outside the palette", m, err, 2, []color.NRGBA{{0, 0, 0, 255}, green, blue, red})
}

func check(t *testing.T, name string, m *image.NRGBA, err error, width int, want []color.NRGBA) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i, c := range want {
		if got := m.NRGBAAt(i%width, i/width); got != c {
			t.Errorf("%s: pixel %d is %v, want %v", name, i, got, c)
		}
	}
}

// No picture may ask for more memory than its bytes could fill.
func TestPicturesThatLie(t *testing.T) {
	tga := make([]byte, tgaHeader+10)
	tga[2], tga[13], tga[15], tga[16] = 10, 4, 4, 32 // 1024 × 1024
	big := func(data []byte) []byte {
		data = bytes.Clone(data)
		sof := bytes.Index(data, []byte{0xFF, 0xC0})
		copy(data[sof+5:], []byte{0x0F, 0xFF, 0x0F, 0xFF})
		return data
	}
	for text, data := range map[string][]byte{
		"no BLP header":        []byte("BLP2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"claims 5000":          blp1(1, 0, 5000, 250, palette(), nil),
		"ends within its head": blp1(1, 0, 2, 2, nil, nil)[:40],
		"ends within its pal":  blp1(1, 0, 2, 2, nil, nil),
		"bytes for 2":          blp1(1, 0, 2, 2, palette(), []byte{1}),
		"unknown BLP k":        blp1(7, 0, 2, 2, palette(), nil),
		"JPEG header of":       blp1(0, 0, 2, 2, []byte{255, 255, 255, 255}, nil),
		"no JPEG":              blp1(0, 0, 2, 2, []byte{0, 0, 0, 0}, nil),
		"claims 4095 × 4095":   big(blpJPEGPicture(t)),
	} {
		if _, err := decodeBLP(data, nil); !errors.Is(err, errPicture) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
	if _, err := decodeTGA(tga); !errors.Is(err, errPicture) || !strings.Contains(err.Error(), "cannot hold") {
		t.Errorf("got %v", err)
	}
}

func FuzzBLP(f *testing.F) {
	f.Add(blp1(1, 4, 2, 2, palette(), []byte{0, 1, 2, 0, 0xFF, 0xFF}), []byte{})
	f.Add(blpJPEGPicture(f), []byte{})
	f.Add(append([]byte("BLP0"), blp1(1, 0, 2, 2, palette(), nil)[4:]...), []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data, outside []byte) {
		m, err := decodeBLP(data, outside)
		bounded(t, m, err, maxJPEGRatio*(len(data)+64)+len(outside))
	})
}

func FuzzTGA(f *testing.F) {
	for _, kind := range []byte{1, 2, 3, 9, 10, 11} {
		b := make([]byte, tgaHeader+24)
		b[1], b[2], b[5], b[7], b[12], b[14], b[16] = kind&1, kind, 2, 24, 2, 2, 8
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeTGA(data)
		bounded(t, m, err, 128*len(data))
	})
}

func bounded(t *testing.T, m *image.NRGBA, err error, pixels int) {
	t.Helper()
	if err == nil && m.Rect.Dx()*m.Rect.Dy() > pixels {
		t.Fatalf("%v out of no more than %d pixels", m.Rect, pixels)
	}
	if err != nil && !errors.Is(err, errPicture) {
		t.Fatalf("not the package's own error: %v", err)
	}
}

// A picture takes less than 64 MB, whatever it claims and however it is packed.
func TestPicturesTakeLittle(t *testing.T) {
	jpeg := func(kind byte, side, pad int) []byte {
		data := bytes.Clone(blpJPEGPicture(t))
		sof := bytes.Index(data, []byte{0xFF, 0xC0})
		data[sof+1] = kind
		copy(data[sof+5:], []byte{byte(side >> 8), byte(side), byte(side >> 8), byte(side)})
		binary.LittleEndian.PutUint32(data[blpHeader+blpMipmaps*4:], 1<<30) // all that follows
		return append(data, make([]byte, pad)...)
	}
	scans := jpeg(0xC2, 1024, 0)
	scan := scans[bytes.LastIndex(scans, startOfScan):]
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"4096² at once", "claims 4096 × 4096", jpeg(0xC0, 4096, 1<<20)},
		{"4096² progressive", "claims 4096 × 4096", jpeg(0xC2, 4096, 1<<20)},
		{"1024² at once", "", jpeg(0xC0, 1024, 6<<20)},
		{"1024² progressive", "", jpeg(0xC2, 1024, 6<<20)},
		{"many scans", "scans", append(scans, bytes.Repeat(scan, 5000)...)},
		{"4096² of a palette", "claims 4096 × 4096", blp1(1, 0, 4096, 4096, palette(), make([]byte, 4096*4096))},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decodeBLP(c.data, nil)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 40 {
			t.Errorf("%s: %d MB allocated", c.name, used)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
