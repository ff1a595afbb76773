// Package password hashes passwords with Argon2id and verifies them. Admin and web accounts use it.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Argon2id parameters of OWASP's cheat sheet (2024): 19 MiB, two passes, one lane.
const (
	hashKiB    = 19 << 10
	hashPasses = 2
	hashLanes  = 1
	saltLen    = 16
	keyLen     = 32
)

// least is the minimum password length in characters; with limited login attempts it cannot be guessed.
const least = 8

var b64 = base64.RawStdEncoding

// Hash returns the hash of a password in PHC format: $argon2id$v=19$m=19456,t=2,p=1$salt$key. It takes tens
// of milliseconds and 19 MiB.
func Hash(text string) (string, error) {
	if len([]rune(text)) < least {
		return "", fmt.Errorf("the password is too short: use at least %d characters", least)
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(text), salt, hashPasses, hashKiB, hashLanes, keyLen)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashKiB, hashPasses, hashLanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// Dummy is a hash to compare with for accounts without a password, so that the response time does not reveal
// whether one is set.
const Dummy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Matches reports whether a password matches a stored hash, using the hash's own parameters. It returns an
// error for a damaged hash or excessive parameters.
func Matches(hash, text string) (bool, error) {
	var version, kib, passes int
	var lanes uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("the stored hash of the password is damaged: set it again")
	}
	_, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &kib, &passes, &lanes)
	salt, saltErr := b64.DecodeString(parts[4])
	key, keyErr := b64.DecodeString(parts[5])
	if errors.Join(err, saltErr, keyErr) != nil || version != argon2.Version || kib < 8 || kib > 256<<10 || passes < 1 || passes > 16 || lanes < 1 || len(key) < 16 {
		return false, errors.New("the stored hash of the password is damaged: set it again")
	}
	got := argon2.IDKey([]byte(text), salt, uint32(passes), uint32(kib), lanes, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1, nil
}
