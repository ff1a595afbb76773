package api

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// As many answers are kept as there is room for: the oldest makes room for one more, and for no repetition.
func TestAnswersKept(t *testing.T) {
	var s answers
	asked := sha256.Sum256([]byte("same"))
	for i := range answersKept {
		if k, first := s.take(fmt.Sprint(i), asked); k == nil || !first {
			t.Fatalf("key %d is known", i)
		}
	}
	for i := range answersKept {
		if k, first := s.take(fmt.Sprint(i), asked); k == nil || first {
			t.Errorf("the answer for key %d is not kept", i)
		}
	}
	if k, _ := s.take("1", sha256.Sum256([]byte("other"))); k != nil {
		t.Error("another request has the answer for its key")
	}
	if _, first := s.take("new", asked); !first {
		t.Error("a new key is known")
	}
	if _, first := s.take("1", asked); first {
		t.Error("a new key took the place of two")
	}
	if _, first := s.take("0", asked); !first {
		t.Error("more answers are kept than there is room for")
	}
}
