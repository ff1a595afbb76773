//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	roomAhead = 128 << 10 // more memory is reserved when less than this is left, in bytes
	roomStep  = 256 << 10
)

func (s *client) Memory(name string, size int) (*Memory, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL|unix.MFD_ALLOW_SEALING)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	err1 := unix.Ftruncate(fd, int64(headLen+size))
	_, err2 := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
	m, err := s.Map(fd)
	if err = errors.Join(err1, err2, err); err != nil {
		return nil, fmt.Errorf("shared memory: %w", errors.Join(err, unix.Close(fd)))
	}
	if !m.makeRoom(headLen) {
		return nil, fmt.Errorf("shared memory: %w", errors.Join(unix.ENOMEM, m.Close()))
	}
	return m, nil
}

func (*client) Map(fd int) (*Memory, error) { return Map(fd) }

// Map is Client.Map for processes without a supervisor.
func Map(fd int) (*Memory, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	b, err := unix.Mmap(fd, 0, int(stat.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	if len(b) < headLen {
		return nil, errors.Join(errors.New("too little shared memory"), unix.Munmap(b))
	}
	free := func() error { return errors.Join(unix.Munmap(b), unix.Close(fd)) }
	return &Memory{fd: fd, b: b, free: free}, nil
}

// lock takes a file lock that ends with the process or when it closes any descriptor of the memory. The supervisor's
// copies do not hold it.
func (m *Memory) lock() bool {
	err := unix.FcntlFlock(uintptr(m.fd), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Len: 1})
	return err == nil
}

// makeRoom reserves memory in advance, up to byte end at least, because a store without memory behind it would kill the
// process.
func (m *Memory) makeRoom(end int) bool {
	if m.fd < 0 || end > len(m.b) {
		return false
	}
	to := min(len(m.b), (end+roomAhead+roomStep-1)/roomStep*roomStep)
	if err := unix.Fallocate(m.fd, 0, 0, int64(to)); err != nil {
		return false
	}
	m.room = to
	return true
}
