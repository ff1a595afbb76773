//go:build !linux

package host

// reactor reads the sockets of running games on Linux. Elsewhere each stays
// with its goroutine.
type reactor struct{}

type rawSocket struct{}

func newReactor(*Host) (*reactor, error) { return &reactor{}, nil }

func (r *reactor) close()      {}
func (r *reactor) beforeTurn() {}

func (r *reactor) adopt(*conn, *packetReader, []byte) bool { return false }

func (s *rawSocket) write([]byte) (int, error) { return 0, nil }
func (s *rawSocket) wantRoom(bool)             {}
func (s *rawSocket) closeWrite()               {}
func (s *rawSocket) close()                    {}
