package replay

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// TestPack reads files of all lengths around one block and checks every block: its size, and the zeros behind
// the stream.
func TestPack(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	for _, version := range []Version{26, 10032} {
		for _, n := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize - 1} {
			stream := make([]byte, n)
			_, _ = random.Read(stream)
			file := Pack(Header{Program: Program{Product: "W3XP", Version: version}}, stream)
			src := bufio.NewReader(bytes.NewReader(file))
			h, s, fault, err := openStream(src)
			if err != nil || fault != "" || int(h.FileSize) != len(file) || int(h.StreamSize) != n {
				t.Fatalf("version %d, %d bytes: %v, %q, %+v of %d bytes", version, n, err, fault, h, len(file))
			}
			var plain []byte
			for blocks := 0; ; blocks++ {
				if plain, err = s.blocks.next(plain); err == io.EOF {
					if want := (n + blockSize - 1) / blockSize; blocks != want || int(h.Blocks) != want {
						t.Errorf("version %d, %d bytes: %d blocks, %d in the header, want %d", version, n, blocks, h.Blocks, want)
					}
					break
				} else if err != nil || len(plain) != (blocks+1)*blockSize {
					t.Fatalf("version %d, %d bytes: %v; %d bytes in %d blocks", version, n, err, len(plain), blocks+1)
				}
			}
			if !bytes.Equal(plain[:n], stream) || !zero(plain[n:]) {
				t.Errorf("version %d, %d bytes: they are others when they are read", version, n)
			}
		}
	}
}
