package w3gs

// SlotInfo (0x09, host to client) redraws the lobby: a slot table.
type SlotInfo struct {
	SlotTable
}

func (p *SlotInfo) Op() Op { return OpSlotInfo }

func (p *SlotInfo) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpSlotInfo)
	return end(p.SlotTable.appendTo(dst), at)
}

func (p *SlotInfo) Decode(body []byte) error {
	c := read(OpSlotInfo, body)
	c.slotTable(&p.SlotTable)
	return c.done()
}
