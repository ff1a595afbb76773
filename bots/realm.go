package bots

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// RealmPassword is the default password of the accounts that bots register.
const RealmPassword = "w3host-bots"

const realmTimeout = 15 * time.Second

// realmConn is one bot account's connection to a realm. Its methods block until the realm answers, at most realmTimeout.
type realmConn struct {
	conn net.Conn
	from *bufio.Reader // conn
}

// logOn logs an account on, and registers it first if the realm does not know it.
func (r *realmConn) logOn(v bncs.Version, name string, hash [20]byte) error {
	if _, err := r.conn.Write([]byte{bncs.ProtocolGame}); err != nil {
		return err
	}
	var (
		token   bncs.AuthInfoReply
		checked bncs.AuthCheckReply
		known   bncs.LogonReply
		created bncs.CreateReply
		proof   bncs.ProofReply
	)
	if err := r.ask(&bncs.AuthInfo{Product: w3gs.ProductTFT, Version: v.ID, Language: "enUS"}, &token); err != nil {
		return err
	}
	err := r.ask(&bncs.AuthCheck{Token: token.ServerToken, Exe: v.Exe, Owner: name}, &checked)
	if err != nil || checked.Result != bncs.VersionAccepted {
		return cmp.Or(err, fmt.Errorf("version refused (%#x)", checked.Result))
	}
	if err := r.ask(&bncs.Logon{Name: name}, &known); err != nil {
		return err
	}
	if known.Result != 0 {
		err := errors.Join(r.ask(&bncs.Create{Hash: hash, Name: name}, &created), r.ask(&bncs.Logon{Name: name}, &known))
		if err != nil || created.Result != bncs.Created || known.Result != 0 {
			return cmp.Or(err, fmt.Errorf("cannot be registered (%#x)", created.Result))
		}
	}
	err = r.ask(&bncs.Proof{Proof: hash}, &proof)
	if err != nil || proof.Result != bncs.LoggedOn && proof.Result != bncs.LoggedOnNoMail {
		return cmp.Or(err, fmt.Errorf("log-on refused (%#x): is the name somebody else's?", proof.Result))
	}
	return r.send(&bncs.EnterChat{})
}

func (r *realmConn) send(p bncs.Packet) error {
	_ = r.conn.SetWriteDeadline(time.Now().Add(realmTimeout))
	_, err := r.conn.Write(bncs.Append(nil, p))
	return err
}

// ask sends a packet and waits for the reply with the id of reply, which it fills in; other packets are skipped.
func (r *realmConn) ask(p, reply bncs.Packet) error {
	if err := r.send(p); err != nil {
		return err
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(realmTimeout))
	for {
		f, err := bncs.Read(r.from)
		if err != nil {
			return fmt.Errorf("no answer to %v: %w", p.ID(), err)
		}
		if f.ID() == reply.ID() {
			return f.Decode(reply)
		}
	}
}

// enter tells the realm that the account joins a game, since hosts ask the realm to confirm that. From then on the
// realm's packets are discarded.
func (r *realmConn) enter(game string, version uint32) error {
	err := r.send(&bncs.NotifyJoin{Product: w3gs.ProductTFT, Version: version, Name: game})
	_ = r.conn.SetReadDeadline(time.Time{})
	go func() { _, _ = io.Copy(io.Discard, r.conn) }() // ends with close
	return err
}

func (r *realmConn) close() { _ = r.conn.Close() }

// realmAccounts holds the connections of a run to the realm by account: one that lists lobbies, and one for each bot
// that joins.
type realmAccounts struct {
	opts *Options

	mu    sync.Mutex
	conns map[string]*realmConn
}

// logOn closes the account's earlier connection, if any, and logs it on again.
func (l *realmAccounts) logOn(ctx context.Context, name string) (*realmConn, error) {
	l.forget(name)
	v, ok := bncs.VersionOf(uint32(l.opts.Version))
	if !ok {
		return nil, fmt.Errorf("realms do not know version 1.%d: use --version 24 to 28", l.opts.Version)
	}
	conn, err := (&net.Dialer{Timeout: realmTimeout}).DialContext(ctx, "tcp", l.opts.Realm)
	if err != nil {
		return nil, fmt.Errorf("realm: %w", err)
	}
	r := &realmConn{conn: conn, from: bufio.NewReaderSize(conn, bncs.MaxFrame)}
	if err := r.logOn(v, name, bncs.PasswordHash(l.opts.RealmPassword)); err != nil {
		r.close()
		return nil, fmt.Errorf("realm %s, account %s: %w", l.opts.Realm, name, err)
	}
	l.conns[name] = r
	return r, nil
}

// forget closes the connection of an account, if it has one.
func (l *realmAccounts) forget(name string) {
	if r := l.conns[name]; r != nil {
		r.close()
		delete(l.conns, name)
	}
}

// list returns the lobbies on the realm's game list. It skips entries that are not Warcraft III games.
func (l *realmAccounts) list(ctx context.Context) (found []lobby, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.opts.NamePrefix + "0"
	scout := l.conns[name]
	if scout == nil {
		if scout, err = l.logOn(ctx, name); err != nil {
			return nil, err
		}
	}
	var list bncs.GameList
	if err := scout.ask(&bncs.ListGames{}, &list); err != nil {
		l.forget(name)
		return nil, err
	}
	for _, g := range list.Games {
		stat, err := bncs.ParseGameStat(g.Stat)
		if err == nil && stat.GameID != 0 {
			found = append(found, lobby{id: stat.GameID, addr: g.Addr.String(), name: g.Name, open: stat.Free, slots: stat.Free})
		}
	}
	return found, nil
}

// enter logs the bots of a game on under their names, and tells the realm which game they join.
func (l *realmAccounts) enter(ctx context.Context, players []*player, game string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var faults []error
	for _, p := range players {
		r, err := l.logOn(ctx, p.name)
		if err == nil {
			err = r.enter(game, uint32(l.opts.Version))
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func (l *realmAccounts) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.conns {
		r.close()
	}
}
