package hold

import (
	"sync/atomic"
	"unsafe"
)

// Word reads one of the words.
func (m *Memory) Word(i int) uint64 { return atomic.LoadUint64(m.word(i)) }

// SetWord stores one of the words. Another process sees the stores of this one in the order in
// which they were made.
func (m *Memory) SetWord(i int, v uint64) {
	atomic.StoreUint64(m.word(i), v)
	m.stored()
}

// SwapWord stores one of the words if it still has its old value. Of two processes that swap at once, one succeeds.
func (m *Memory) SwapWord(i int, old, now uint64) bool {
	swapped := atomic.CompareAndSwapUint64(m.word(i), old, now)
	m.stored()
	return swapped
}

// Note stores a word that others read only when this process has ended, or no longer uses it. It costs less than
// SetWord, which waits until all stores before it have left the core.
func (m *Memory) Note(i int, v uint64) {
	*m.word(i) = v
	m.stored()
}

func (m *Memory) word(i int) *uint64 { return (*uint64)(unsafe.Pointer(&m.b[:headLen][8*i])) }
