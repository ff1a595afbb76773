// Package password hashes passwords with Argon2id and compares them with stored hashes.
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

// Argon2id as OWASP's cheat sheet of 2024 has it: 19 MiB, two passes, one lane.
const (
	hashKiB    = 19 << 10
	hashPasses = 2
	hashLanes  = 1
	saltLen    = 16
	keyLen     = 32
)

// least is how many letters a password has at least: enough not to be guessed in the
// attempts there are.
const least = 8

var b64 = base64.RawStdEncoding

// Hash returns the hash of a password in PHC form:
// $argon2id$v=19$m=19456,t=2,p=1$salt$key.
func Hash(text string) (string, error) {
	if len([]rune(text)) < least {
		return "", fmt.Errorf("the password is too short: %d letters at least", least)
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // it never fails
	key := argon2.IDKey([]byte(text), salt, hashPasses, hashKiB, hashLanes, keyLen)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashKiB, hashPasses, hashLanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// Dummy is compared with the passwords of accounts without one, so that the answer takes
// as long, whether or not there is a password.
const Dummy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Matches compares a password with the result of Hash for one, with the
// parameters of that time. A hash that would take too much is refused.
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
