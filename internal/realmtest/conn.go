package realmtest

import (
	"bufio"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/realm/bncs"
)

// At identifies a frame that is about to be sent or has been received.
type At struct {
	Conn     int // number of the connection, counted from 1
	N        int // number of the frame on it, in both directions together, counted from 1
	ID       bncs.ID
	ToClient bool
}

// Fault is a way in which a frame is disturbed.
type Fault int

// Kinds of faults.
const (
	None    Fault = iota
	Cut           // close the connection instead
	Half          // send half of it, then close the connection
	Garbage       // send bytes that are not a frame
	Lie           // send a length above the allowed maximum
	Drip          // send it byte by byte
)

// Faults sets the function that selects faults. f is called with the server's lock held.
func (s *Server) Faults(f func(At) Fault) { s.Locked(func() { s.faults = f }) }

// conn is the connection of a client.
type conn struct {
	*user
	s       *Server
	c       net.Conn
	n       int // number of frames
	number  int
	version bool   // 0x51 was accepted
	naming  string // account name from 0x53
}

func (s *Server) serve(c net.Conn) {
	defer c.Close()
	s.mu.Lock()
	s.conns++
	k := &conn{s: s, c: c, number: s.conns, user: &user{port: 6112, addr: netip.MustParseAddr("127.0.0.1")}}
	k.user.out, k.user.raw, k.user.close = k.send, k.write, func() { _ = c.Close() }
	s.users = append(s.users, k.user)
	s.mu.Unlock()
	defer func() { s.Locked(func() { s.gone(k.user) }) }()
	_ = k.read()
}

func (k *conn) read() error {
	from := bufio.NewReaderSize(k.c, bncs.MaxFrame)
	if first, err := from.ReadByte(); err != nil || first != bncs.ProtocolGame {
		return errors.New("another protocol")
	}
	for {
		f, err := bncs.Read(from)
		if err == nil {
			err = k.frame(f)
		}
		if err != nil {
			return err
		}
	}
}

// frame processes a frame from the client.
func (k *conn) frame(f bncs.Frame) error {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	switch k.fault(f.ID(), false) {
	case Cut, Half, Lie:
		return errors.New("cut")
	case Garbage:
		k.write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		return nil
	}
	k.handle(f)
	return nil
}

func (k *conn) fault(id bncs.ID, toClient bool) Fault {
	k.n++
	if k.s.faults == nil {
		return None
	}
	return k.s.faults(At{k.number, k.n, id, toClient})
}

// send sends a frame with the fault selected for it.
func (k *conn) send(p bncs.Packet) {
	b := bncs.Append(nil, p)
	switch k.fault(p.ID(), true) {
	case Cut:
		_ = k.c.Close()
	case Half:
		k.write(b[:len(b)/2])
		_ = k.c.Close()
	case Garbage:
		k.write([]byte{0x41, 0x42, 0x43, 0x44, 0x45})
	case Lie:
		b[2], b[3] = 0xFF, 0xFF
		k.write(b)
	case Drip:
		for i := range b {
			k.write(b[i : i+1])
			time.Sleep(time.Millisecond)
		}
	default:
		k.write(b)
	}
}

func (k *conn) write(b []byte) {
	_ = k.c.SetWriteDeadline(time.Now().Add(10 * time.Second))
	_, _ = k.c.Write(b)
}

// handle executes a frame like a realm. The caller holds the server's lock.
func (k *conn) handle(f bncs.Frame) {
	if k.name == "" {
		k.logOn(f)
		return
	}
	switch f.ID() {
	case bncs.IDNull:
		k.send(bncs.Empty(bncs.IDNull))
	case bncs.IDEnterChat:
		k.send(&bncs.EnterChatReply{Name: k.name, Stat: "BKBK", Account: k.name})
	case bncs.IDJoinChannel:
		var p bncs.JoinChannel
		if f.Decode(&p) == nil {
			k.s.leave(k.user)
			k.channel = p.Channel
			k.send(&bncs.ChatEvent{Event: bncs.EventChannel, Name: k.name, Text: p.Channel})
			k.send(&bncs.ChatEvent{Event: bncs.EventUser, Name: k.name, Text: "PX3W BKBK 0"})
			k.send(&bncs.ChatEvent{Event: bncs.EventError, Text: "Hello " + k.name + ", welcome!"})
			k.send(&bncs.ChatEvent{Event: bncs.EventTalk, Name: k.name, Text: "You have no mail."})
		}
	case bncs.IDChat:
		var p bncs.Chat
		if f.Decode(&p) == nil && len(p.Text) <= bncs.MaxChat {
			k.s.say(k.user, p.Text)
		}
	case bncs.IDGamePort:
		var p bncs.GamePort
		if f.Decode(&p) == nil && p.Port >= 1024 {
			k.port = p.Port
		}
	case bncs.IDAdvertise:
		k.advertise(f)
	case bncs.IDStopAdvert:
		if k.game != nil {
			k.game.started = true
		}
	case bncs.IDLeaveGame:
		k.s.leave(k.user)
	case bncs.IDNotifyJoin:
		var p bncs.NotifyJoin
		if f.Decode(&p) == nil {
			k.s.join(k.user, p.Name)
		}
	case bncs.IDListGames:
		var p bncs.ListGames
		if f.Decode(&p) == nil {
			if p.Name != "" {
				k.send(k.s.named(p.Name))
				return
			}
			k.send(&bncs.GameList{Games: k.s.listed("")})
		}
	}
}

// logOn handles the frames before login; afterwards they are ignored.
func (k *conn) logOn(f bncs.Frame) {
	switch f.ID() {
	case bncs.IDAuthInfo:
		var p bncs.AuthInfo
		if f.Decode(&p) != nil {
			return
		}
		k.version = len(k.s.versions) == 0 || slices.Contains(k.s.versions, p.Version)
		k.product = p.Product
		k.send(&bncs.Ping{Tick: 4711})
		k.send(&bncs.AuthInfoReply{LogonType: 2, ServerToken: 99, File: "IX86ver1.mpq", Formula: "A=1 4 A=A-S"})
	case bncs.IDAuthCheck:
		reply := &bncs.AuthCheckReply{Result: bncs.VersionAccepted}
		if !k.version {
			reply.Result = bncs.VersionRefused
		}
		k.send(reply)
	case bncs.IDCreate:
		var p bncs.Create
		if f.Decode(&p) != nil {
			return
		}
		key := strings.ToLower(p.Name)
		switch _, exists := k.s.accounts[key]; {
		case exists:
			k.send(&bncs.CreateReply{Result: bncs.CreateExists})
		case len(p.Name) < 2 || len(p.Name) > 15:
			k.send(&bncs.CreateReply{Result: bncs.CreateNotAllowed})
		default:
			k.s.accounts[key] = account{p.Name, p.Hash}
			k.send(&bncs.CreateReply{Result: bncs.Created})
		}
	case bncs.IDLogon:
		var p bncs.Logon
		if f.Decode(&p) != nil {
			return
		}
		reply := &bncs.LogonReply{Result: 1}
		if _, ok := k.s.accounts[strings.ToLower(p.Name)]; ok {
			reply.Result, k.naming = 0, strings.ToLower(p.Name)
			reply.Salt[0], reply.Key[0] = 1, 1 // the same for both kinds of login
		}
		k.send(reply)
	case bncs.IDProof:
		var p bncs.Proof
		a, ok := k.s.accounts[k.naming]
		if f.Decode(&p) != nil {
			return
		}
		if !ok || a.hash != p.Proof {
			k.send(&bncs.ProofReply{Result: bncs.WrongPassword})
			return
		}
		if old := k.s.find(a.name); old != nil { // log the other connection off without a message
			old.close()
			k.s.gone(old)
			k.s.thrown++
		}
		k.name = a.name
		k.send(&bncs.ProofReply{Result: bncs.LoggedOnNoMail})
	}
}

// advertise lists a game. Everything except its state is fixed at the first call; later calls always succeed.
func (k *conn) advertise(f bncs.Frame) {
	const refusedStates = 0x04 | 0x08 | 0x20
	var p bncs.Advertise
	if f.Decode(&p) != nil || len(p.Stat) > bncs.MaxStat || len(p.Name) > bncs.MaxGameName+1 {
		return // no answer
	}
	reply := &bncs.AdvertiseReply{}
	switch g := k.game; {
	case g != nil && !g.started:
		if g.state != bncs.StatePrivate {
			g.state = p.State
		}
	case g != nil:
	case p.State&refusedStates != 0, k.s.exists(p.Name):
		reply.Result = 1
	default:
		k.s.open(k.user, p.Name, p.Stat, p.State)
	}
	k.send(reply)
	k.send(&bncs.Ping{Tick: 4712})
}

// open creates a game hosted by a user.
func (s *Server) open(u *user, name, stat string, state uint32) {
	u.channel = ""
	u.game = &game{
		ListedGame: bncs.ListedGame{Addr: netip.AddrPortFrom(u.addr, u.port), State: bncs.ListedOpen, Name: name, Stat: stat},
		product:    u.product, state: state, members: []*user{u},
	}
	s.games = append(s.games, u.game)
}

func (s *Server) exists(name string) bool {
	return slices.ContainsFunc(s.games, func(g *game) bool { return !g.started && strings.EqualFold(g.Name, name) })
}

// join adds a user to a game without notifying anybody.
func (s *Server) join(u *user, name string) {
	for _, g := range slices.Backward(s.games) {
		if strings.EqualFold(g.Name, name) && !g.started {
			s.leave(u)
			u.channel, u.game = "", g
			g.members = append(g.members, u)
			return
		}
	}
}
