package hold

import (
	"sync/atomic"
	"unsafe"
)

// Word returns word i. It is an atomic load.
func (m *Memory) Word(i int) uint64 { return atomic.LoadUint64(m.word(i)) }

// SetWord stores word i atomically. Other processes see the stores of this process in the order in which they were made.
func (m *Memory) SetWord(i int, v uint64) {
	atomic.StoreUint64(m.word(i), v)
	m.stored()
}

// SwapWord stores word i if it still has its old value. If two processes swap at the same time, one succeeds.
func (m *Memory) SwapWord(i int, old, now uint64) bool {
	swapped := atomic.CompareAndSwapUint64(m.word(i), old, now)
	m.stored()
	return swapped
}

// Note stores a word that others read only when this process has ended or no longer uses the memory. It is faster than
// SetWord, which waits until all earlier stores have left the processor core.
func (m *Memory) Note(i int, v uint64) {
	*m.word(i) = v
	m.stored()
}

func (m *Memory) word(i int) *uint64 { return (*uint64)(unsafe.Pointer(&m.b[:headLen][8*i])) }
