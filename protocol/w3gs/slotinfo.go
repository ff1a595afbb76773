package w3gs

// SlotInfo (0x09, host to client) updates the lobby: slot table.
type SlotInfo struct {
	SlotTable
}

func (p *SlotInfo) Op() Op                   { return OpSlotInfo }
func (p *SlotInfo) AppendTo(b []byte) []byte { return p.fields(begin(b, OpSlotInfo)).end() }
func (p *SlotInfo) Decode(b []byte) error    { return p.fields(read(b, OpSlotInfo)).done() }
