-- +goose Up
CREATE INDEX games_unrated ON games (ended_at, key) WHERE NOT rated AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX games_unrated;
