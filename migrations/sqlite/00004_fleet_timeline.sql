-- +goose Up
-- Hosts of a fleet share Postgres: a file has no table of it.
SELECT 1;

-- +goose Down
SELECT 1;
