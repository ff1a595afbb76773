package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Limits of the file; the oldest sessions of an account, and the oldest links, make room.
const (
	maxAccounts = 200
	maxTokens   = 200
	maxSessions = 20 // of one account, which thus ends no session of another
	maxLinks    = 20
)

// lockWithin is how long another program may hold the file. All requests wait meanwhile.
const lockWithin = 3 * time.Second

// Account is a person who logs in with a password.
type Account struct {
	Name string    `json:"name"`
	Role Role      `json:"role"`
	Hash string    `json:"hash,omitempty" hidden:"true"` // no answer of the API has it
	Made time.Time `json:"made"`
}

// Token lets a program in.
type Token struct {
	Name     string         `json:"name"`
	Role     Role           `json:"role"`
	Hash     string         `json:"hash,omitempty"`
	Networks []netip.Prefix `json:"networks,omitempty"` // from which it counts; none: all
	Expires  time.Time      `json:"expires,omitzero"`   // zero: never
	Made     time.Time      `json:"made"`
}

// Session is a browser that has logged in. Account is the name of byLink for one that came by a link.
type Session struct {
	Hash    string    `json:"hash,omitempty" hidden:"true"` // no answer of the API has it
	Account string    `json:"account" doc:"Or (link): came by a link"`
	Made    time.Time `json:"made"`
	Seen    time.Time `json:"seen" doc:"To ten minutes"`
}

// link is a way in that works once.
type link struct {
	Hash    string    `json:"hash"`
	Expires time.Time `json:"expires"`
}

// state is the content of the file. It is never changed once it is shared.
type state struct {
	Accounts []Account `json:"accounts"`
	Tokens   []Token   `json:"tokens"`
	Sessions []Session `json:"sessions"`
	Links    []link    `json:"links"`
}

// Store is the file, for one program of perhaps several that use it.
type Store struct {
	path string
	lock *flock.Flock

	mu   sync.Mutex
	info fs.FileInfo // of the file that known was read from
	now  state
}

// Open makes a store of a file, which need not exist.
func Open(path string) *Store { return &Store{path: path, lock: flock.New(path + ".lock")} }

// read returns the present content of the file. It reads the file again only when it has changed.
func (s *Store) read() (state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reread()
}

func (s *Store) reread() (state, error) {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.info, s.now = nil, state{}
		return s.now, nil
	case err != nil:
		return state{}, err
	case s.info != nil && os.SameFile(info, s.info) && info.ModTime().Equal(s.info.ModTime()):
		return s.now, nil
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return state{}, err
	}
	var read state
	if err := json.Unmarshal(text, &read); err != nil {
		return state{}, fmt.Errorf("%s is damaged (%w): remove it, and make the accounts again with w3host web account", s.path, err)
	}
	s.info, s.now = info, read
	return read, nil
}

// change reads the file, changes its contents and writes it whole.
func (s *Store) change(how func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	if _, err := s.lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("%s.lock is held by another program: %w", s.path, err)
	}
	defer func() { _ = s.lock.Unlock() }()
	next, err := s.reread()
	if err != nil {
		return err
	}
	next = next.clone()
	if err := how(&next); err != nil {
		return err
	}
	text, err := json.MarshalIndent(next, "", "\t")
	if err != nil {
		return err
	}
	return s.replace(text)
}

// replace writes a new file, which is complete before it takes the place of the old one.
func (s *Store) replace(text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), ".web") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// hashOf returns the stored hash of a word of rand.Text. It needs no salt: nobody can guess the word.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
