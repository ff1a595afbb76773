package w3gs

// CountActions returns how many actions in one block of a player's action data count towards actions per
// minute, by the rules of the actions document, §1.1. It does not allocate.
func (r ActionRules) CountActions(data []byte) (n int) {
	deselected, updated := false, false // state of the previous action
	for a := range r.Actions(data) {
		if !a.Known {
			break
		}
		deselects, updates, counts := false, false, false
		switch a.ID {
		case 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x1C, 0x1D, 0x1E, 0x61, 0x66, 0x67:
			counts = true
		case 0x16: // A selection directly after a deselection is part of the same user action.
			deselects = a.Data[1] == 2
			counts = deselects || !deselected
		case 0x19: // From 1.14b on the game itself generates this action.
			if r.Before114b() {
				group := a.Data[1]
				updates = group == 0xFF
				counts = group != 0 && group != 0xFF && !updated
			}
		}
		if counts {
			n++
		}
		deselected, updated = deselects, updates
	}
	return n
}
