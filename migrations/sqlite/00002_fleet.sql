-- +goose Up
-- Hosts of a fleet share Postgres: one file has one host.
SELECT 1;

-- +goose Down
SELECT 1;
