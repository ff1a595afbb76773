package hold

import (
	"sync/atomic"
	"unsafe"
)

// Word reads one of the words.
func (m *Memory) Word(i int) uint64 { return atomic.LoadUint64(m.word(i)) }

// SetWord stores one of the words.
func (m *Memory) SetWord(i int, v uint64) {
	atomic.StoreUint64(m.word(i), v)
	m.stored()
}

func (m *Memory) word(i int) *uint64 { return (*uint64)(unsafe.Pointer(&m.b[:headLen][8*i])) }
