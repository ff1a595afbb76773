-- +goose Up
-- Players who are not shown on the public site, by name on all realms.
CREATE TABLE hidden (
    name_key  text PRIMARY KEY,
    hidden_at timestamptz NOT NULL
);
-- The finished matches that the public site lists, by their keys and for each map.
CREATE INDEX games_public ON games (key) WHERE NOT private AND loaded_at IS NOT NULL AND ended_at IS NOT NULL;
CREATE INDEX games_public_map ON games (map_sha1, key) WHERE NOT private AND loaded_at IS NOT NULL AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX games_public_map;
DROP INDEX games_public;
DROP TABLE hidden;
