package storage

import (
	"encoding/json"

	"w3host/storage/spool"
)

// KeyedRecord is a game's record with a number of its own instead of the sequence number of the run. A game that
// survives its process may produce some records twice; equal numbers let the database ignore duplicates,
// since a row is identified by game and number. All records of such a game are KeyedRecords.
type KeyedRecord struct {
	Record
	Number uint64
}

func (n KeyedRecord) write(w *batchWriter, _ uint64) {
	if a, ok := n.Record.(AdminAction); ok { // the only rows that are identified by the run
		w.row("audit", a, "run", a.Game.String(), "seq", n.Number)
		return
	}
	n.Record.write(w, n.Number)
}

// MarshalJSON encodes the record as a spool line.
func (n KeyedRecord) MarshalJSON() ([]byte, error) {
	l, err := encodeLine("", SequencedRecord{n.Number, n.Record})
	if err != nil {
		return nil, err
	}
	return json.Marshal(l)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (n *KeyedRecord) UnmarshalJSON(b []byte) (err error) {
	var l spool.Line
	if err = json.Unmarshal(b, &l); err == nil {
		n.Number = l.Seq
		n.Record, err = decodeLine(l)
	}
	return err
}
