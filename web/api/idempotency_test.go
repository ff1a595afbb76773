package api

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"w3host/web"
	"w3host/web/access"
)

var asked = sha256.Sum256([]byte("same"))

// Each caller has room for so many answers: the oldest makes room for one more, and for no repetition, and other
// callers' answers stay.
func TestAnswersKept(t *testing.T) {
	s := &answers{of: make(map[access.Identity][]*kept)}
	rook, other := access.Identity{Name: "Rook", Role: access.Admin, Via: "api"}, access.Identity{Name: "other", Role: access.Viewer, Via: "api"}
	first := func(who access.Identity, key string) bool {
		_, first := s.take(who, key, asked)
		return first
	}
	if !first(other, "0") {
		t.Fatal("another caller's key is known")
	}
	for i := range answersKept {
		if !first(rook, fmt.Sprint(i)) {
			t.Fatalf("key %d is known", i)
		}
	}
	for i := range answersKept {
		if first(rook, fmt.Sprint(i)) {
			t.Errorf("the answer for key %d is not kept", i)
		}
	}
	if k, _ := s.take(rook, "1", sha256.Sum256([]byte("other"))); k != nil {
		t.Error("another request has the answer for its key")
	}
	if !first(rook, "new") {
		t.Error("a new key is known")
	}
	if first(rook, "1") {
		t.Error("a new key took the place of two")
	}
	if !first(rook, "0") {
		t.Error("more answers are kept than there is room for")
	}
	if first(other, "0") {
		t.Error("a caller's answer is pushed out by another caller's")
	}
}

// The bodies of a caller's answers are bounded together.
func TestAnswersAreBounded(t *testing.T) {
	s, rook := &answers{of: make(map[access.Identity][]*kept)}, access.Identity{Name: "Rook", Role: access.Admin}
	for i := range 10 {
		k, _ := s.take(rook, fmt.Sprint(i), asked)
		k.body.WriteString(strings.Repeat("x", bytesKept/4))
		k.done.Store(true)
	}
	if n := len(s.of[rook]); n != 5 {
		t.Errorf("%d answers of a quarter of the bound are kept, want four and the latest", n)
	}
}

// A handler runs once for each key of a caller, and a request without a login keeps no answer.
func TestOnce(t *testing.T) {
	s, runs := &answers{of: make(map[access.Identity][]*kept)}, 0
	h := s.idempotent(func(w http.ResponseWriter, r *http.Request) {
		runs++
		if r.URL.Path == "/panic" {
			panic("fault")
		}
		w.WriteHeader(http.StatusAccepted)
	})
	ask := func(role access.Role, path string) (status int) {
		defer func() { _ = recover() }()
		r := httptest.NewRequest("POST", path, strings.NewReader("{}"))
		r.Header.Set("Idempotency-Key", path)
		w := httptest.NewRecorder()
		h(w, r.WithContext(web.WithCaller(context.Background(), web.Principal{Identity: access.Identity{Name: "Rook", Role: role}})))
		return w.Code
	}
	for _, tc := range []struct {
		role      access.Role
		path      string
		runs      int
		again     int
		keptAfter int
	}{
		{access.Admin, "/a", 1, http.StatusAccepted, 1},
		{access.Public, "/a", 2, http.StatusAccepted, 1},
		{access.Admin, "/panic", 1, http.StatusInternalServerError, 2},
	} {
		runs = 0
		ask(tc.role, tc.path)
		if status := ask(tc.role, tc.path); status != tc.again || runs != tc.runs {
			t.Errorf("%v asks twice for %s: %d, run %d times; want %d, %d", tc.role, tc.path, status, runs, tc.again, tc.runs)
		}
		kept := 0
		for _, list := range s.of {
			kept += len(list)
		}
		if kept != tc.keptAfter {
			t.Errorf("%d answers are kept after %s of %v, want %d", kept, tc.path, tc.role, tc.keptAfter)
		}
	}
}
