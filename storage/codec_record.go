package storage

import "fmt"

// kind is the first byte of an encoded record. Numbers are never reused: a
// spool outlives the program that wrote it.
type kind uint8

const (
	kindGameCreated  kind = 1
	kindPlayerJoined kind = 2
	kindGameStarted  kind = 3
	kindPlayerLoaded kind = 4
	kindGameLoaded   kind = 5
	kindPlayerLeft   kind = 6
	kindGameEnded    kind = 7
	kindChatLine     kind = 8
	kindLagEvent     kind = 9
	kindDropEvent    kind = 10
	kindDesync       kind = 11
	kindMapDownload  kind = 12
	kindAdminAction  kind = 13
	kindMapResult    kind = 14
	kindPlayerResult kind = 15
)

// appendRecord encodes rec behind dst. It switches on the types instead of
// calling a method of the interface: so the compiler sees that rec does not
// escape, and a caller with a concrete type pays no allocation.
func appendRecord(dst []byte, rec Record) []byte {
	c := codec{buf: dst}
	switch r := rec.(type) {
	case GameCreated:
		c.buf = append(c.buf, byte(kindGameCreated))
		r.fields(&c)
	case PlayerJoined:
		c.buf = append(c.buf, byte(kindPlayerJoined))
		r.fields(&c)
	case GameStarted:
		c.buf = append(c.buf, byte(kindGameStarted))
		r.fields(&c)
	case PlayerLoaded:
		c.buf = append(c.buf, byte(kindPlayerLoaded))
		r.fields(&c)
	case GameLoaded:
		c.buf = append(c.buf, byte(kindGameLoaded))
		r.fields(&c)
	case PlayerLeft:
		c.buf = append(c.buf, byte(kindPlayerLeft))
		r.fields(&c)
	case GameEnded:
		c.buf = append(c.buf, byte(kindGameEnded))
		r.fields(&c)
	case ChatLine:
		c.buf = append(c.buf, byte(kindChatLine))
		r.fields(&c)
	case LagEvent:
		c.buf = append(c.buf, byte(kindLagEvent))
		r.fields(&c)
	case DropEvent:
		c.buf = append(c.buf, byte(kindDropEvent))
		r.fields(&c)
	case Desync:
		c.buf = append(c.buf, byte(kindDesync))
		r.fields(&c)
	case MapDownload:
		c.buf = append(c.buf, byte(kindMapDownload))
		r.fields(&c)
	case AdminAction:
		c.buf = append(c.buf, byte(kindAdminAction))
		r.fields(&c)
	case MapResult:
		c.buf = append(c.buf, byte(kindMapResult))
		r.fields(&c)
	case PlayerResult:
		c.buf = append(c.buf, byte(kindPlayerResult))
		r.fields(&c)
	}
	return c.buf
}

// decodeRecord reads what appendRecord wrote.
func decodeRecord(b []byte) (Record, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("decode record: %w", errTruncated)
	}
	switch k := kind(b[0]); k {
	case kindGameCreated:
		return decodeAs(b, (*GameCreated).fields)
	case kindPlayerJoined:
		return decodeAs(b, (*PlayerJoined).fields)
	case kindGameStarted:
		return decodeAs(b, (*GameStarted).fields)
	case kindPlayerLoaded:
		return decodeAs(b, (*PlayerLoaded).fields)
	case kindGameLoaded:
		return decodeAs(b, (*GameLoaded).fields)
	case kindPlayerLeft:
		return decodeAs(b, (*PlayerLeft).fields)
	case kindGameEnded:
		return decodeAs(b, (*GameEnded).fields)
	case kindChatLine:
		return decodeAs(b, (*ChatLine).fields)
	case kindLagEvent:
		return decodeAs(b, (*LagEvent).fields)
	case kindDropEvent:
		return decodeAs(b, (*DropEvent).fields)
	case kindDesync:
		return decodeAs(b, (*Desync).fields)
	case kindMapDownload:
		return decodeAs(b, (*MapDownload).fields)
	case kindAdminAction:
		return decodeAs(b, (*AdminAction).fields)
	case kindMapResult:
		return decodeAs(b, (*MapResult).fields)
	case kindPlayerResult:
		return decodeAs(b, (*PlayerResult).fields)
	default:
		return nil, fmt.Errorf("decode record: unknown kind %d, written by a newer w3host", k)
	}
}

func decodeAs[R Record](b []byte, fields func(*R, *codec)) (Record, error) {
	var r R
	c := codec{buf: b[1:], reading: true}
	fields(&r, &c)
	if c.err != nil {
		return nil, fmt.Errorf("decode %T: %w", r, c.err)
	}
	return r, nil
}
