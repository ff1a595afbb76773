package people

import (
	"context"
	"errors"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

// Warnings is the rule by which warnings lead to a ban.
type Warnings struct {
	Most   int           // number of warnings that leads to a ban; 0 means never
	Within time.Duration // age at which warnings expire; 0 means never
	Ban    time.Duration // length of the ban; 0 means permanent
}

func (d Directory) note(ctx context.Context, q *command.Query) (answer, error) {
	_, err := d.DB.AddRemark(ctx, storage.Remark{Kind: storage.Note, Name: q.Name, Line: q.Reason, By: q.By, At: time.Now()}, time.Time{})
	return one("The note about %s is saved.", q.Name), err
}

// warn stores a warning. If it is the last one allowed, the player is banned and all warnings are used up.
func (d Directory) warn(ctx context.Context, q *command.Query) (answer, error) {
	now, rule := time.Now(), d.Rule()
	since, ban := time.Time{}, storage.Ban{Name: q.Name, Reason: "warned too often: " + q.Reason, By: q.By, At: now}
	if rule.Within > 0 {
		since = now.Add(-rule.Within)
	}
	if rule.Ban > 0 {
		ban.Expires = now.Add(rule.Ban)
	}
	n, err := d.DB.AddRemark(ctx, storage.Remark{Kind: storage.Warning, Name: q.Name, Line: q.Reason, By: q.By, At: now}, since)
	switch {
	case err != nil:
		return nil, err
	case rule.Most == 0:
		return one("%s is warned.", q.Name), nil
	case n < rule.Most:
		return one("%s is warned (%d of %d before a ban).", q.Name, n, rule.Most), nil
	}
	_, err = d.DB.AddBan(ctx, ban)
	if err == nil || errors.Is(err, storage.ErrConflict) {
		err = d.DB.LiftWarnings(ctx, q.Name, q.By, true)
	}
	return one("%s is warned (%d of %d) and banned%v.", q.Name, n, rule.Most, until(ban)), err
}

func (d Directory) remarks(ctx context.Context, q *command.Query) (answer, error) {
	all, err := d.DB.Remarks(ctx, q.Name, most)
	return each(q, all, err, one("There are no warnings or notes about %s.", q.Name), func(r storage.Remark) texts.Text {
		day := r.At.UTC().Format(time.DateOnly)
		switch {
		case r.Kind == storage.Note:
			return texts.Of("%s, note by %s: %s", day, r.By, r.Line)
		case r.Lifted.IsZero():
			return texts.Of("%s, warned by %s: %s", day, r.By, r.Line)
		}
		return texts.Of("%s, warned by %s (no longer counts): %s", day, r.By, r.Line)
	})
}

func (d Directory) unwarn(ctx context.Context, q *command.Query) (answer, error) {
	err := d.DB.LiftWarnings(ctx, q.Name, q.By, false)
	return one("The latest warning of %s no longer counts.", q.Name),
		worded(err, storage.ErrNotFound, "%s has no warning that counts", strings.TrimSpace(q.Name))
}
