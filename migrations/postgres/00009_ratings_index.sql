-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS games_unrated;
CREATE INDEX CONCURRENTLY games_unrated ON games (ended_at, key) WHERE NOT rated AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS games_unrated;
