package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// liteParts are the files of a database in WAL mode, by what follows the path.
var liteParts = []string{"", "-wal", "-shm"}

// atPath compares the files with those that were seen at the path before. It costs
// a call of the system, some microseconds.
func (s *liteDB) atPath() Move {
	f := s.file.Load()
	info, err := os.Stat(s.path)
	before := f.seen[""]
	switch {
	case before == nil && err != nil: // it could not be opened yet
		return Stays
	case errors.Is(err, fs.ErrNotExist):
		return Restored
	case err == nil && before != nil && !os.SameFile(info, before):
		return Replaced
	}
	for _, part := range liteParts {
		if f.seen[part] == nil {
			if info, err := os.Stat(s.path + part); err == nil {
				f.seen[part] = info
			}
		}
	}
	return Stays
}

// Refresh implements DB.
func (s *liteDB) Refresh(ctx context.Context) (Move, error) {
	s.moves.Lock()
	defer s.moves.Unlock()
	move := s.atPath()
	if move == Stays {
		return Stays, nil
	}
	old := s.file.Load()
	if move == Restored {
		if err := s.writeAgain(ctx, old); err != nil {
			return Stays, err
		}
	}
	// The WAL of the old file must not be taken for one of the new.
	for _, part := range liteParts[1:] {
		info, err := os.Stat(s.path + part)
		if err == nil && old.seen[part] != nil && os.SameFile(info, old.seen[part]) {
			_ = os.Remove(s.path + part)
		}
	}
	if move == Restored {
		if err := os.Rename(s.path+".restored", s.path); err != nil {
			return Stays, fmt.Errorf("%w: put the database file back: %w", ErrUnavailable, err)
		}
	}
	f, err := openLiteFile(s.path)
	if err != nil {
		return Stays, err
	}
	s.file.Store(f)
	if move == Replaced && s.replaced == nil {
		s.replaced = old
		return move, nil
	}
	return move, translate(old.close())
}

// writeAgain copies a deleted database, which its connections still hold.
func (s *liteDB) writeAgain(ctx context.Context, old *liteFile) error {
	copied := s.path + ".restored"
	if err := errors.Join(os.RemoveAll(copied), createLite(copied)); err != nil {
		return fmt.Errorf("%w: put the database file back: %w", ErrUnavailable, err)
	}
	_, err := old.write.ExecContext(ctx, "VACUUM INTO ?", copied)
	return s.explain(err)
}

// Adopt implements DB.
func (s *liteDB) Adopt(ctx context.Context) error {
	s.moves.Lock()
	defer s.moves.Unlock()
	if s.replaced == nil {
		return nil
	}
	on, err := s.replaced.write.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	err = adopt(ctx, lite(on), s.path)
	for _, undo := range []string{"ROLLBACK", "DETACH DATABASE fresh"} { // of what went wrong
		_, _ = on.ExecContext(context.WithoutCancel(ctx), undo)
	}
	if err := errors.Join(err, on.Close()); err != nil {
		return s.explain(err)
	}
	err = s.replaced.close()
	s.replaced = nil
	return s.explain(err)
}

// adopt copies hosts, positions and the games that are not over, with all that
// belongs to them, into the file at the path.
func adopt(ctx context.Context, from conn, path string) error {
	if _, err := from.Exec(ctx, "ATTACH DATABASE ? AS fresh", path); err != nil {
		return err
	}
	// Tables and the columns that both files have, games first: the others
	// refer to them.
	tables, err := List[struct {
		Name, Columns string
		OfGame        bool
	}](ctx, from, `SELECT t.name, group_concat(c.name), max(c.name = 'game_key')
		FROM main.sqlite_schema t JOIN pragma_table_info(t.name, 'main') c JOIN pragma_table_info(t.name, 'fresh') n ON n.name = c.name
		WHERE t.type = 'table' GROUP BY t.name
		HAVING max(c.name = 'game_key') OR t.name IN ('games', 'hosts', 'spool_positions') ORDER BY t.name <> 'games'`)
	if err != nil {
		return err
	}
	steps := []string{"BEGIN IMMEDIATE"}
	for _, t := range tables {
		step := fmt.Sprintf("INSERT OR REPLACE INTO fresh.%s (%s) SELECT %[2]s FROM main.%[1]s", t.Name, t.Columns)
		switch {
		case t.Name == "games":
			step += " WHERE ended_at IS NULL"
		case t.OfGame:
			step += " WHERE game_key IN (SELECT key FROM main.games WHERE ended_at IS NULL)"
		}
		steps = append(steps, step)
	}
	for _, step := range append(steps, "COMMIT") {
		if _, err := from.Exec(ctx, step); err != nil {
			return fmt.Errorf("%.6s: %w", step, err)
		}
	}
	return nil
}
