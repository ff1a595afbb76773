package storage_test

import (
	"testing"

	"w3host/storage/storagetest"
)

// Both databases pass the same tests.
func TestStores(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) { storagetest.Run(t, database) })
	}
}
