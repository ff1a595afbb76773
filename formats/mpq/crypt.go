package mpq

import (
	"encoding/binary"
	"strings"
)

// Sections of cryptTable. The five name hashes use the same function with different sections.
const (
	hashStart   = 0x000 // start index of a search in the hash table
	hashNameA   = 0x100 // hashNameA and hashNameB identify a name in the hash table
	hashNameB   = 0x200
	hashFileKey = 0x300 // key of an encrypted file, from its name without folders

	cipherMix  = 0x400 // section used by the cipher
	cipherSeed = 0xEEEEEEEE
	hashSeed   = 0x7FED7FED
)

var cryptTable = newCryptTable()

// The tables are encrypted with hashes of fixed names.
var (
	hashTableKey  = hashName("(hash table)", hashFileKey)
	blockTableKey = hashName("(block table)", hashFileKey)
)

func newCryptTable() (table [0x500]uint32) {
	seed := uint32(0x00100001)
	next := func() uint32 {
		seed = (seed*125 + 3) % 0x2AAAAB
		return seed & 0xFFFF
	}
	for i := range uint32(0x100) {
		for part := range uint32(5) {
			high := next()
			table[part<<8|i] = high<<16 | next()
		}
	}
	return table
}

// hashName hashes the bytes of name, with ASCII letters in upper case. It does not convert slashes, because a
// few archives contain names with real slashes.
func hashName(name string, kind uint32) uint32 {
	a, b := uint32(hashSeed), uint32(cipherSeed)
	for i := range len(name) {
		c := uint32(name[i])
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		a = cryptTable[kind+c] ^ (a + b)
		b = c + a + b + b<<5 + 3
	}
	return a
}

// fileKey returns the key of an encrypted file. If fixed, the key also depends on the file's position and
// size.
func fileKey(name string, fixed bool, pos, size uint32) uint32 {
	plain := name[strings.LastIndexAny(name, `\/`)+1:]
	key := hashName(plain, hashFileKey)
	if fixed {
		key = (key + pos) ^ size
	}
	return key
}

// keystream is the state of the cipher: key evolves on its own, mix depends on the plain text.
type keystream struct{ key, mix uint32 }

func (k *keystream) pad() uint32 {
	k.mix += cryptTable[cipherMix+k.key&0xFF]
	return k.key + k.mix
}

func (k *keystream) advance(plain uint32) {
	k.key = (^k.key<<21 + 0x11111111) | k.key>>11
	k.mix += plain + k.mix<<5 + 3
}

// decrypt decrypts data in place, in little-endian words. Up to three bytes at the end are never encrypted.
func decrypt(data []byte, key uint32) {
	k := keystream{key, cipherSeed}
	for ; len(data) >= 4; data = data[4:] {
		plain := binary.LittleEndian.Uint32(data) ^ k.pad()
		binary.LittleEndian.PutUint32(data, plain)
		k.advance(plain)
	}
}

func encrypt(data []byte, key uint32) {
	k := keystream{key, cipherSeed}
	for ; len(data) >= 4; data = data[4:] {
		plain := binary.LittleEndian.Uint32(data)
		binary.LittleEndian.PutUint32(data, plain^k.pad())
		k.advance(plain)
	}
}
