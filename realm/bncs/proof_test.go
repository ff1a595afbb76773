package bncs

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"w3host/protocol/w3gs"
)

// The values were stored and accepted by a PvPGN server 1.99.7.2.1.
func TestXSHA1(t *testing.T) {
	for input, want := range map[string]string{
		"":                      "0123456789abcdeffedcba9876543210f0e1d2c3",
		"secret1":               "985a54dda4a9824fd799d72bd79f1337f5087996",
		strings.Repeat("a", 64): "af23d1f0d252d926f82ef4b128b074f661836dee",
		strings.Repeat("a", 70): "510cbb87777ec5d0ce1f737e48f1b5a3f06f0159",
	} {
		if got := xsha1([]byte(input)); hex.EncodeToString(got[:]) != want {
			t.Errorf("%q: %x, want %s", input, got, want)
		}
	}
	if PasswordHash("Secret1") != PasswordHash("secret1") {
		t.Error("the password is not lower-cased")
	}
	if PasswordHash("ab\xffC") != xsha1([]byte("ab\xffc")) {
		t.Error("bytes that are no letters do not stay as they are")
	}
}

// The vector agrees with the repaired server's code.
func TestSRP(t *testing.T) {
	s := NewSRP("regen", "bogen", [32]byte(bytes.Repeat([]byte{0x11}, 32)))
	key := s.Key()
	if got := hex.EncodeToString(key[:]); got != "bfc3fd4452f91a46ea8da8204e34e898b4eeec0fec2b7d3abc3de0404f9e5feb" {
		t.Errorf("A = %s", got)
	}
	var salt [32]byte
	for i := range salt {
		salt[i] = byte(i + 1)
	}
	b, _ := hex.DecodeString("5594123e5613f11e5c6df9c5626a591b767c0773aad6175fd22f788061556fdb")
	m1, m2 := s.Proofs(salt, [32]byte(b))
	if got := hex.EncodeToString(m1[:]); got != "78cd13b703328dcaceb2fa0d584e4ba5efa8af17" {
		t.Errorf("M1 = %s", got)
	}
	if got := hex.EncodeToString(m2[:]); got != "af2bfa6b3c9b71113a413ca04e6efa40a92599e9" {
		t.Errorf("M2 = %s", got)
	}
	if got := hex.EncodeToString(srpI[:]); got != "6c0e97ed0af96babb15889eb8bba25a4f08c01f8" {
		t.Errorf("I = %s", got)
	}
}

func TestGameStat(t *testing.T) {
	s := GameStat{Free: 11, GameID: 0x1000002A, Stat: w3gs.StatString{
		MapPath: `Maps\Download\` + strings.Repeat("x", 47), HostName: "w3host7", HasSHA1: true,
	}}
	text, err := s.Encode() // 61 + 7 bytes fill it
	if err != nil || !strings.HasPrefix(text, "ba2000001") || len(text) > MaxStat {
		t.Fatalf("%q %d %v", text, len(text), err)
	}
	back, err := ParseGameStat(text)
	if err != nil || back != s {
		t.Errorf("%+v, %v", back, err)
	}
	s.Stat.HostName += "x"
	if _, err := s.Encode(); err == nil || !strings.Contains(err.Error(), "shorten the file name of the map, or host.name") || !strings.Contains(err.Error(), "at most 68") {
		t.Errorf("one byte more: %v", err)
	}
	for _, bad := range []string{"", "9a2", "?00000000", "9zz000000"} {
		if _, err := ParseGameStat(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if _, err := ParseGameStat("9"); !errors.Is(err, errShort) {
		t.Error(err)
	}
}

func TestVersions(t *testing.T) {
	v, ok := VersionOf(26)
	if !ok || v.ID != 0x1A || v.Exe.Version != 0x011A0001 {
		t.Error(v, ok)
	}
	if _, ok := VersionOf(31); ok {
		t.Error("1.31 is known")
	}
}
