package storage

import (
	"encoding/json"

	"w3host/storage/spool"
)

// Numbered is a record of a game with a number of its own in the place of that within the
// run: a game that outlives its process makes some records twice, and a row is named by its
// game and the number. All records of such a game are numbered.
type Numbered struct {
	Record
	Number uint64
}

func (n Numbered) write(w *batchWriter, _ uint64) {
	if a, ok := n.Record.(AdminAction); ok { // the only rows that are named by the run
		w.row("audit", a, "run", a.Game.String(), "seq", n.Number)
		return
	}
	n.Record.write(w, n.Number)
}

// MarshalJSON writes the record as a line of the spool is.
func (n Numbered) MarshalJSON() ([]byte, error) {
	l, err := encodeLine("", SequencedRecord{n.Number, n.Record})
	if err != nil {
		return nil, err
	}
	return json.Marshal(l)
}

// UnmarshalJSON reads the bytes that MarshalJSON writes.
func (n *Numbered) UnmarshalJSON(b []byte) (err error) {
	var l spool.Line
	if err = json.Unmarshal(b, &l); err == nil {
		n.Number = l.Seq
		n.Record, err = decodeLine(l)
	}
	return err
}
