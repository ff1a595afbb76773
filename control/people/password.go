package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"w3host/game"
	"w3host/storage"
	"w3host/texts"
)

// Argon2id as OWASP's cheat sheet of 2024 has it: 19 MiB, two passes, one lane.
const (
	hashKiB    = 19 << 10
	hashPasses = 2
	hashLanes  = 1
	saltLen    = 16
	keyLen     = 32
)

// A password must be long enough not to be guessed in the attempts there are, and
// fit into a line of the chat with its command.
const (
	minPassword = 8
	maxPassword = 64 // bytes
)

var b64 = base64.RawStdEncoding

// HashPassword makes what is stored of a password, in PHC form:
// $argon2id$v=19$m=19456,t=2,p=1$salt$key.
func HashPassword(password string) (string, error) {
	switch {
	case len([]rune(password)) < minPassword:
		return "", fmt.Errorf("the password is too short: %d letters at least", minPassword)
	case len(password) > maxPassword:
		return "", fmt.Errorf("the password is too long: %d bytes fit into a line of the chat", maxPassword)
	case strings.TrimSpace(password) != password:
		return "", errors.New("a password cannot begin or end with a space: the chat drops it")
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // it never fails
	key := argon2.IDKey([]byte(password), salt, hashPasses, hashKiB, hashLanes, keyLen)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashKiB, hashPasses, hashLanes,
		b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// dummyHash is compared with the passwords of those who have none, so that the
// answer takes as long, whether or not there is a password.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// matches compares a password with what HashPassword made of one, with the
// parameters of that time. A hash that would take too much is refused.
func matches(hash, password string) (bool, error) {
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
	got := argon2.IDKey([]byte(password), salt, uint32(passes), uint32(kib), lanes, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1, nil
}

// Login checks the password of an admin of the LAN. It takes 100 ms of a
// 2.1 GHz Xeon core and 19 MiB. The error is for the player.
func (d Directory) Login(ctx context.Context, name, password string) error {
	hash, err := d.DB.PasswordHash(ctx, name)
	known := err == nil
	switch {
	case errors.Is(err, storage.ErrNotFound):
		hash = dummyHash
	case err != nil:
		return texts.Of("the database does not answer: try again later")
	}
	if len(password) > maxPassword {
		password = ""
	}
	ok, err := matches(hash, password)
	switch {
	case err != nil:
		return err
	case !ok || !known:
		return game.ErrWrongPassword
	}
	return nil
}
