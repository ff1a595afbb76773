package bncs

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
)

// The group parameters of the realms' SRP.
var (
	srpN, _ = new(big.Int).SetString("F8FF1A8B619918032186B68CA092B5557E976C78C73212D91216F6658523C787", 16)
	srpG    = big.NewInt(47)
	srpI    = srpIdentity()
)

// srpIdentity returns H(N) xor H(g).
func srpIdentity() (id [20]byte) {
	n, g := sha1.Sum(littleEndian(srpN, 32)), sha1.Sum([]byte{47})
	for i := range id {
		id[i] = n[i] ^ g[i]
	}
	return id
}

// SRP is the client's side of one logon with SRP, which official-style servers require. PvPGN in its published form does
// not support it.
type SRP struct {
	name, password string
	secret         *big.Int
	public         [32]byte
}

// NewSRP starts a logon; secret must be 32 random bytes.
func NewSRP(name, password string, secret [32]byte) *SRP {
	s := &SRP{name: strings.ToUpper(name), password: strings.ToUpper(password), secret: number(secret[:])}
	copy(s.public[:], littleEndian(new(big.Int).Exp(srpG, s.secret, srpN), 32))
	return s
}

// Key returns the client's public key, for 0x53.
func (s *SRP) Key() [32]byte { return s.public }

// Proofs returns M1, for 0x54, and the M2 that the server must answer with.
func (s *SRP) Proofs(salt, serverKey [32]byte) (m1, m2 [20]byte) {
	x := number(hash(salt[:], hash([]byte(s.name+":"+s.password))))
	v := new(big.Int).Exp(srpG, x, srpN)
	scrambler := hash(serverKey[:])
	u := new(big.Int).SetUint64(uint64(binary.BigEndian.Uint32(scrambler)))
	base := new(big.Int).Sub(new(big.Int).Add(srpN, number(serverKey[:])), v)
	secret := littleEndian(new(big.Int).Exp(base.Mod(base, srpN), new(big.Int).Add(s.secret, u.Mul(u, x)), srpN), 32)
	k := interleave(secret)
	copy(m1[:], hash(srpI[:], hash([]byte(s.name)), salt[:], s.public[:], serverKey[:], k))
	copy(m2[:], hash(s.public[:], m1[:], k))
	return m1, m2
}

// interleave hashes the even and the odd bytes separately and interleaves the two hashes.
func interleave(secret []byte) []byte {
	var even, odd []byte
	for i := 0; i < len(secret); i += 2 {
		even, odd = append(even, secret[i]), append(odd, secret[i+1])
	}
	h0, h1 := sha1.Sum(even), sha1.Sum(odd)
	k := make([]byte, 0, 2*len(h0))
	for i := range h0 {
		k = append(k, h0[i], h1[i])
	}
	return k
}

func hash(parts ...[]byte) []byte {
	sum := sha1.Sum(bytes.Join(parts, nil))
	return sum[:]
}

func number(littleEndian []byte) *big.Int {
	b := slices.Clone(littleEndian)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func littleEndian(n *big.Int, size int) []byte {
	b := n.FillBytes(make([]byte, size))
	slices.Reverse(b)
	return b
}
