package hold

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Word reads one of the words.
func (m *Memory) Word(i int) uint64 { return atomic.LoadUint64(m.word(i)) }

// SetWord stores one of the words. Another process sees the stores of this one in the order in
// which they were made.
func (m *Memory) SetWord(i int, v uint64) {
	if runtime.GOARCH == "amd64" {
		// The processor keeps the order of plain stores. An atomic one also waits until all before
		// it have left the core, which has taken 2 % of the host's work.
		*m.word(i) = v
	} else {
		atomic.StoreUint64(m.word(i), v)
	}
	m.stored()
}

func (m *Memory) word(i int) *uint64 { return (*uint64)(unsafe.Pointer(&m.b[:headLen][8*i])) }
