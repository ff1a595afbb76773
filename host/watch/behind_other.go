//go:build !linux

package watch

// RunBehind is Run.
func (s *Server) RunBehind() { s.Run() }
