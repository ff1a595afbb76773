package mpq

const (
	symbolEnd = 0x100 // the data ends here
	symbolNew = 0x101 // a byte follows that has no code yet
	symbols   = 0x102

	maxNodes = 515 // what the game has room for
	listHead = 0   // the anchor of the list; as a parent or a child it means none
)

// huffmanNode is a node of the tree and a link of the list of all nodes from the heaviest to the lightest. The two
// children of a node are neighbours in the list: child is the lighter one, the heavier one stands before it.
type huffmanNode struct {
	prev, next    uint16
	parent, child uint16
	symbol        uint16
	weight        uint32
}

// huffmanTree is an adaptive Huffman code. Which of several codes of the same length a byte gets depends on the order
// of each step, so the steps are those of the game.
type huffmanTree struct {
	nodes [maxNodes + 1]huffmanNode
	used  uint16
	leaf  [symbols]uint16
}

// unhuffman unpacks Huffman codes:
//
//	u8 kind of data, which selects the first weights · then codes, lowest bit first, up to the end symbol
//
// In data of kind 0 the codes change after each byte, else only when a new byte comes.
func unhuffman(dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return dst, errCutShort
	}
	kind, changing := int(src[0]&15), src[0] == 0
	if kind >= len(weightTables) {
		return dst, corrupt("it has Huffman codes of kind %d, and there are %d", kind, len(weightTables))
	}
	var tree huffmanTree
	tree.build(&weightTables[kind])
	in := bitReader{src: src[1:]}
	end := len(dst) + limit
	for {
		symbol := tree.decode(&in)
		isNew := symbol == symbolNew
		if isNew {
			in.fill()
			symbol = uint16(in.take(8))
		}
		if in.short {
			return dst, errCutShort
		}
		if symbol == symbolEnd {
			return dst, nil
		}
		if isNew && !tree.insert(symbol) {
			return dst, corrupt("it brings more new bytes than there are")
		}
		if isNew || changing {
			tree.raise(tree.leaf[symbol])
		}
		if len(dst) == end {
			return dst, errOverrun
		}
		dst = append(dst, byte(symbol))
	}
}

// build makes the first tree from the weights of the bytes; the two special symbols weigh 1.
func (t *huffmanTree) build(weights *[256]uint8) {
	heaviest := uint32(0)
	for symbol, weight := range weights {
		if weight != 0 {
			t.leaf[symbol] = t.add(listHead, uint16(symbol), uint32(weight))
			heaviest = t.settle(t.leaf[symbol], heaviest)
		}
	}
	t.leaf[symbolEnd] = t.add(t.last(), symbolEnd, 1)
	t.leaf[symbolNew] = t.add(t.last(), symbolNew, 1)
	for light := t.last(); light != listHead; {
		heavy := t.nodes[light].prev
		if heavy == listHead {
			break
		}
		parent := t.add(listHead, 0, t.nodes[heavy].weight+t.nodes[light].weight)
		t.nodes[light].parent, t.nodes[heavy].parent = parent, parent
		t.nodes[parent].child = light
		heaviest = t.settle(parent, heaviest)
		light = t.nodes[heavy].prev
	}
}

// decode walks from the root to a leaf: a set bit leads to the heavier child. in.short says that the bits ran out.
func (t *huffmanTree) decode(in *bitReader) uint16 {
	in.fill()
	node := t.nodes[listHead].next
	for t.nodes[node].child != listHead && !in.short {
		if in.have == 0 {
			in.fill()
		}
		node = t.nodes[node].child
		if in.take(1) == 1 {
			node = t.nodes[node].prev
		}
	}
	return t.nodes[node].symbol
}

// insert splits the lightest leaf: one child takes its place, the other stands for the new byte.
func (t *huffmanTree) insert(symbol uint16) bool {
	if t.used+2 > maxNodes {
		return false
	}
	split := t.last()
	old := t.nodes[split]
	heavy := t.add(t.last(), old.symbol, old.weight)
	light := t.add(t.last(), symbol, 0)
	t.nodes[heavy].parent, t.nodes[light].parent = split, split
	t.nodes[split].child = light
	t.leaf[old.symbol], t.leaf[symbol] = heavy, light
	t.raise(light)
	return true
}

// raise adds one to the weight of a node and of all above it. A node that becomes heavier than others before it in
// the list changes places with the first of them, in the list and in the tree.
func (t *huffmanTree) raise(node uint16) {
	for ; node != listHead; node = t.nodes[node].parent {
		n := &t.nodes[node]
		n.weight++
		heavier := t.atLeast(n.prev, n.weight)
		other := t.nodes[heavier].next
		if other == node {
			continue
		}
		t.unlink(other)
		t.link(node, other)
		t.unlink(node)
		t.link(heavier, node)

		o := &t.nodes[other]
		otherWasChild := t.nodes[o.parent].child == other
		if t.nodes[n.parent].child == node {
			t.nodes[n.parent].child = other
		}
		if otherWasChild {
			t.nodes[o.parent].child = node
		}
		n.parent, o.parent = o.parent, n.parent
	}
}

// settle moves a node from the front of the list to its place by weight, and returns the largest weight so far.
func (t *huffmanTree) settle(node uint16, heaviest uint32) uint32 {
	weight := t.nodes[node].weight
	if weight >= heaviest {
		return weight
	}
	after := t.atLeast(t.last(), weight)
	t.unlink(node)
	t.link(after, node)
	return heaviest
}

// atLeast goes from node towards the heavier ones to the first that weighs as much, else to the head of the list.
func (t *huffmanTree) atLeast(node uint16, weight uint32) uint16 {
	for node != listHead && t.nodes[node].weight < weight {
		node = t.nodes[node].prev
	}
	return node
}

func (t *huffmanTree) last() uint16 { return t.nodes[listHead].prev }

func (t *huffmanTree) add(after, symbol uint16, weight uint32) uint16 {
	t.used++
	t.nodes[t.used] = huffmanNode{symbol: symbol, weight: weight}
	t.link(after, t.used)
	return t.used
}

func (t *huffmanTree) link(after, node uint16) {
	next := t.nodes[after].next
	t.nodes[node].prev, t.nodes[node].next = after, next
	t.nodes[after].next, t.nodes[next].prev = node, node
}

func (t *huffmanTree) unlink(node uint16) {
	prev, next := t.nodes[node].prev, t.nodes[node].next
	t.nodes[prev].next, t.nodes[next].prev = next, prev
}
