package bncs

// Secret is a password. It is printed as stars.
type Secret string

func (Secret) String() string               { return "***" }
func (Secret) GoString() string             { return `"***"` }
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }
