package storage

// The fields of each record in the order they are stored. Add at the end only.

func (r *GameCreated) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	text(c, &r.Name)
	text(c, &r.Owner)
	text(c, &r.Realm)
	c.bool(&r.Private)
	c.u32(&r.GameID)
	text(c, &r.Version)
	part(c, &r.Map, (*MapID).fields)
	part(c, &r.Settings, (*Settings).fields)
	c.duration(&r.Latency)
	c.u32(&r.Seed)
}

func (m *MapID) fields(c *codec) {
	text(c, &m.Name)
	text(c, &m.Path)
	c.int64(&m.Size)
	c.u32(&m.CRC32)
	c.u32(&m.Checksum)
	c.fixed(m.SHA1[:])
}

func (s *Settings) fields(c *codec) {
	text(c, &s.Speed)
	text(c, &s.Visibility)
	text(c, &s.Observers)
	c.bool(&s.TeamsTogether)
	c.bool(&s.FixedTeams)
	c.bool(&s.SharedControl)
	c.bool(&s.RandomHero)
	c.bool(&s.RandomRaces)
	c.bool(&s.LoadInGame)
	c.bool(&s.AdaptivePeriod)
	c.int(&s.SyncLimit)
	text(c, &s.HCL)
}

func (r *PlayerJoined) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u8(&r.PID)
	text(c, &r.Name)
	text(c, &r.Realm)
	c.addr(&r.Addr)
}

func (r *GameStarted) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	list(c, &r.Slots, (*StartedSlot).fields)
}

func (s *StartedSlot) fields(c *codec) {
	c.u8(&s.Slot)
	c.u8(&s.PID)
	text(c, &s.Occupant)
	text(c, &s.Name)
	text(c, &s.Realm)
	c.addr(&s.Addr)
	c.u8(&s.Team)
	c.u8(&s.Colour)
	c.u8(&s.Race)
	c.u8(&s.Handicap)
	c.u8(&s.Difficulty)
}

func (r *PlayerLoaded) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u8(&r.PID)
	c.duration(&r.After)
}

func (r *GameLoaded) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
}

func (r *PlayerLeft) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u8(&r.PID)
	c.u32(&r.Turn)
	c.u32(&r.Code)
	text(c, &r.Reason)
	c.duration(&r.Ping)
	c.u32(&r.Actions)
}

func (r *GameEnded) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	text(c, &r.How)
	text(c, &r.Detail)
	c.u32(&r.Turns)
	c.duration(&r.Played)
	text(c, &r.Replay)
}

func (r *ChatLine) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	c.u8(&r.PID)
	text(c, &r.Name)
	text(c, &r.Scope)
	text(c, &r.To)
	text(c, &r.Text)
}

func (r *LagEvent) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	c.u8(&r.PID)
	c.duration(&r.Lasted)
	c.u32(&r.Behind)
	c.duration(&r.Ping)
	c.duration(&r.HostLate)
	c.u32(&r.Backlog)
	text(c, &r.Cause)
}

func (r *DropEvent) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	c.u8(&r.PID)
	text(c, &r.Reason)
	text(c, &r.By)
	c.u8(&r.Votes)
}

func (r *Desync) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	list(c, &r.Groups, (*HashGroup).fields)
	c.bytes(&r.Dossier)
}

func (g *HashGroup) fields(c *codec) {
	c.u32(&g.Hash)
	c.bytes(&g.PIDs)
	c.bool(&g.Dropped)
}

func (r *MapDownload) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u8(&r.PID)
	text(c, &r.Name)
	c.int64(&r.Bytes)
	c.duration(&r.Took)
	c.bool(&r.Complete)
	text(c, &r.Detail)
}

func (r *AdminAction) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	text(c, &r.Who)
	text(c, &r.Realm)
	text(c, &r.Via)
	text(c, &r.Action)
	text(c, &r.On)
	text(c, &r.Detail)
	text(c, &r.Refused)
}

func (r *MapResult) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	text(c, &r.Source)
	c.u8(&r.Sender)
	text(c, &r.Name)
	text(c, &r.Value)
	c.bool(&r.Contradicts)
}

func (r *PlayerResult) fields(c *codec) {
	c.fixed(r.Game[:])
	c.time(&r.At)
	c.u32(&r.Turn)
	text(c, &r.Source)
	c.u8(&r.Sender)
	c.u8(&r.PID)
	text(c, &r.Name)
	text(c, &r.Value)
	c.bool(&r.Contradicts)
}
