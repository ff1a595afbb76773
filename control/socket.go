package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"w3host/game/command"
)

// The control socket reads one Order, as a line of JSON, from each connection and answers with one Answer, also a line.
type (
	// Order is a command for the game with that number, or for the host if Game is 0. Without a command it asks for the
	// key of the game in the game log.
	Order struct {
		Command string `json:"command"`
		Game    uint32 `json:"game,omitempty"`
	}
	// Answer is the result of an Order.
	Answer struct {
		Lines   []string `json:"lines"`
		Data    any      `json:"data,omitempty"`    // the answer as values; see data.go
		Refused string   `json:"refused,omitempty"` // why the command was refused
		Key     string   `json:"key,omitempty"`     // key of the game in the game log
	}
)

const (
	maxOrder    = 4 << 10 // in bytes
	orderWithin = 5 * time.Second
	socketMode  = 0o600
)

// socket listens for orders. Every process that can open the socket file has the level root.
type socket struct {
	path     string
	listener *net.UnixListener
	operator *Operator
}

// listen creates the socket, and replaces one left by a host that has ended.
func listen(path string, o *Operator) (*socket, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		_ = conn.Close()
		return nil, errors.New("another host answers there")
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// The socket is created in a private directory and moved when its mode is set.
	hidden, err := os.MkdirTemp(dir, ".c")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(hidden) }()
	name := filepath.Join(hidden, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("%w; the path of a socket can have at most about 100 bytes", err)
	}
	l.SetUnlinkOnClose(false)
	err = os.Chmod(name, socketMode)
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(name))
	}
	return &socket{path: path, listener: l, operator: o}, nil
}

// serve answers orders until ctx ends; then it removes the socket. It does not wait for callers that outlive the host.
func (s *socket) serve(ctx context.Context) {
	var serving sync.WaitGroup
	defer serving.Wait()
	stop := context.AfterFunc(ctx, func() {
		_ = os.Remove(s.path)
		_ = s.listener.Close()
	})
	defer stop()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		serving.Add(1)
		s.operator.serving.Go(func() {
			release := sync.OnceFunc(serving.Done)
			defer release()
			s.answer(ctx, conn, release)
		})
	}
}

func (s *socket) answer(ctx context.Context, conn net.Conn, outlive func()) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(orderWithin))
	var order Order
	answer := Answer{Lines: []string{}}
	if err := json.NewDecoder(io.LimitReader(conn, maxOrder)).Decode(&order); err != nil {
		answer.Refused = "the order is not valid JSON: " + err.Error()
	} else {
		_ = conn.SetDeadline(time.Time{}) // the command may wait for a game or a disk
		answer = s.operator.obey(ctx, order, outlive)
	}
	_ = conn.SetDeadline(time.Now().Add(orderWithin))
	_ = json.NewEncoder(conn).Encode(answer)
}

// obey executes an order from the socket.
func (o *Operator) obey(ctx context.Context, order Order, outlive func()) Answer {
	if order.Command != "" {
		return o.Order(ctx, command.Caller{Name: "ctl", Level: command.Root, Via: command.ViaControl, Outlive: outlive}, order)
	}
	if g := o.opts.Host.Game(order.Game); g != nil {
		return Answer{Lines: []string{}, Key: g.Key().String()}
	}
	return Answer{Lines: []string{}, Refused: noGame(order.Game).Error()}
}

// Await waits until every caller of the control socket has its answer. It is called after Run has ended.
func (o *Operator) Await() { o.serving.Wait() }

// Order executes an order of a caller who is not in a game. It returns when all answers are complete.
func (o *Operator) Order(ctx context.Context, by command.Caller, order Order) Answer {
	var mu sync.Mutex // games answer from other goroutines
	answer := Answer{Lines: []string{}}
	locked := func(note func()) {
		mu.Lock()
		defer mu.Unlock()
		note()
	}
	by.Reply = func(text string) { locked(func() { answer.Lines = append(answer.Lines, text) }) }
	by.Data = func(value any) { locked(func() { answer.Data = value }) }
	by.Refuse = func(why string) { locked(func() { answer.Refused = why }) }
	err := o.do(ctx, &by, order.Game, order.Command)
	mu.Lock()
	defer mu.Unlock()
	if err != nil && answer.Refused == "" && len(answer.Lines) == 0 {
		answer.Refused = err.Error()
	}
	return Answer{Lines: slices.Clone(answer.Lines), Data: answer.Data, Refused: answer.Refused}
}

// errNoHost means that no host listens on the control socket.
var errNoHost = errors.New("no host answers")

// Send sends an order to the host that listens on a control socket, and waits for the answer until ctx ends.
func Send(ctx context.Context, path string, order Order) (Answer, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if errors.Is(err, fs.ErrPermission) {
		return Answer{}, fmt.Errorf("%w at %s: only the user who runs the host may open it: %w", errNoHost, path, errors.Unwrap(err))
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%w at %s: is a host running with this configuration and from this folder?", errNoHost, path)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err := json.NewEncoder(conn).Encode(order); err != nil {
		return Answer{}, fmt.Errorf("%w at %s: %w", errNoHost, path, err)
	}
	var answer Answer
	if err := json.NewDecoder(conn).Decode(&answer); err != nil {
		return Answer{}, fmt.Errorf("%w at %s: the host ended before it answered", errNoHost, path)
	}
	return answer, nil
}
