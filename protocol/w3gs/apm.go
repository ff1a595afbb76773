package w3gs

// CountActions counts the actions in one block of a player's action data as actions per minute are counted: by
// the actions document, §1.1. It allocates nothing.
func (r ActionRules) CountActions(data []byte) (n int) {
	deselected, updated := false, false // by the action before
	for a := range r.Actions(data) {
		if !a.Known {
			break
		}
		deselects, updates, counts := false, false, false
		switch a.ID {
		case 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x1C, 0x1D, 0x1E, 0x61, 0x66, 0x67:
			counts = true
		case 0x16: // a selection right behind a deselection belongs to it
			deselects = a.Data[1] == 2
			counts = deselects || !deselected
		case 0x19: // made by the game itself from 1.14b on
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
