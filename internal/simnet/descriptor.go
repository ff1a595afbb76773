package simnet

// Copy adds a reference to the connection, which Close releases. All references share one stream. Processes
// pass connections to each other by file number, see Net.File.
func (c *Conn) Copy() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.holders++
}

// File returns the file number of the connection.
func (c *Conn) File() int {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	if c.file == 0 {
		c.n.lastFile++
		c.file = c.n.lastFile
		c.n.files[c.file] = c
	}
	return c.file
}

// File returns the connection with a file number.
func (n *Net) File(number int) *Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[number]
}
