//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"context"
	"maps"
	"net"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// ServeFDStore keeps copies of everything that supervisors hold, one supervisor after the other. One that connects to the
// socket at path gets everything once the previous one, and its host, have disconnected. ServeFDStore blocks until ctx
// ends, and closes everything when no supervisor comes within supervisor.Patience (60 s).
func ServeFDStore(ctx context.Context, path string, log func(format string, args ...any)) error {
	if os.Getpid() == 1 {
		go reapOrphans()
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	mask := unix.Umask(0o177)
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	unix.Umask(mask)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for v := (fdSet{}); ; {
		end := time.Time{}
		if len(v) > 0 {
			end = time.Now().Add(supervisor.Patience)
		}
		_ = listener.SetDeadline(end) // cannot fail on an open socket
		conn, err := listener.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			return nil
		case os.IsTimeout(err):
			log("no supervisor has connected for %v; all %d descriptors are closed", supervisor.Patience, len(v))
			for name := range v {
				v.drop(name)
			}
		case err != nil:
			return err
		default:
			log("a supervisor has connected; it gets %d descriptors", len(v))
			v.serve(ctx, conn)
			log("the supervisor has disconnected and left %d descriptors", len(v))
		}
	}
}

// serve sends a supervisor everything, and keeps everything it puts until it disconnects.
func (v fdSet) serve(ctx context.Context, conn *net.UnixConn) {
	file, err := conn.File()
	_ = conn.Close()
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	sock := int(file.Fd()) // Fd makes the socket blocking
	defer context.AfterFunc(ctx, func() { _ = unix.Shutdown(sock, unix.SHUT_RDWR) })()
	if peer, err := unix.GetsockoptUcred(sock, unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil || int(peer.Uid) != os.Getuid() {
		return
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(v)), batch) {
		m := message{verb: verbPut, names: names}
		for _, n := range names {
			m.fds = append(m.fds, v[n])
		}
		_ = send(sock, m, 0) // an error shows in receive below
	}
	_ = send(sock, message{verb: verbGo}, 0)
	for {
		m, err := receive(sock)
		if err != nil {
			return
		}
		v.take(&m)
	}
}
