-- +goose Up
-- Why a game cannot be rated; empty for those that can. Such a game is rated, too: it does not wait any more.
ALTER TABLE games ADD COLUMN unrated_reason text NOT NULL DEFAULT '';
-- Version 2.0 was written as 1.100.
UPDATE games SET version = '2.' || CAST(CAST(substr(version, 4) AS integer) AS text) WHERE version LIKE '1.1__';

-- +goose Down
ALTER TABLE games DROP COLUMN unrated_reason;
