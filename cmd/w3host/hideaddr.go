package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/netip"
	"os"
	"regexp"
)

// addressHider replaces IP addresses by pseudonyms. It uses a keyed hash, because a plain hash of an IPv4 address could
// be reversed by trying all addresses.
type addressHider struct{ key []byte }

const hiderKeyLen = 32

// newAddressHider reads the key from the file at path, or creates the file with a random key.
func newAddressHider(path string) (addressHider, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		key = make([]byte, hiderKeyLen)
		rand.Read(key) // never returns an error
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return addressHider{}, plainError(err)
		}
		_, err = f.Write(key)
		return addressHider{key}, errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil && len(key) != hiderKeyLen {
		err = errors.New(path + "  is not a valid key; delete it to have a new one created")
	}
	return addressHider{key}, err
}

// addresses match everything that may be an IP address. IPv4 comes first, because it may also be the end of an IPv6
// address.
var addresses = [...]*regexp.Regexp{
	regexp.MustCompile(`(::[fF]{4}:)?\d{1,3}(\.\d{1,3}){3}`),
	regexp.MustCompile(`[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}`),
}

// in returns the text with each address replaced.
func (h addressHider) in(text []byte) []byte {
	for _, found := range addresses {
		text = found.ReplaceAllFunc(text, h.word)
	}
	return text
}

// word returns the replacement for a match, or the match itself if it is not an address. A colon before or after the
// address belongs to the sentence.
func (h addressHider) word(b []byte) []byte {
	addr, err := netip.ParseAddr(string(b))
	switch {
	case err == nil && !addr.IsUnspecified():
		mac := hmac.New(sha256.New, h.key)
		mac.Write(addr.Unmap().AsSlice())
		return []byte("address-" + hex.EncodeToString(mac.Sum(nil)[:8]))
	case err == nil || len(b) == 0:
	case b[0] == ':':
		return append([]byte{':'}, h.word(b[1:])...)
	case b[len(b)-1] == ':':
		return append(h.word(b[:len(b)-1]), ':')
	}
	return b
}
