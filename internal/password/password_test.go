package password

import "testing"

func TestPassword(t *testing.T) {
	if hash, err := Hash("密码密码"); err == nil {
		t.Errorf("a short password is taken: %s", hash)
	}
	hash, err := Hash("密码密码密码密码")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"密码密码密码密码": true, "密码密码密码密": false, "": false} {
		if ok, err := Matches(hash, text); err != nil || ok != want {
			t.Errorf("%q matches: %v, %v", text, ok, err)
		}
	}
	if ok, err := Matches(Dummy, "x"); ok || err != nil {
		t.Errorf("the hash of nobody: %v, %v", ok, err)
	}
	for _, damaged := range []string{"", "x", "$argon2id$v=19$m=99999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", hash[:40], "$argon2id$v=19$m=19456,t=0,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAA"} {
		if ok, err := Matches(damaged, "x"); ok || err == nil {
			t.Errorf("%q: %v, %v", damaged, ok, err)
		}
	}
}
