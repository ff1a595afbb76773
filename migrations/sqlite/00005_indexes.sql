-- +goose Up
CREATE INDEX games_uncounted ON games (key) WHERE NOT counted AND ended_at IS NOT NULL;
CREATE INDEX games_started_at ON games (started_at);
CREATE INDEX games_map_key ON games (map_sha1, key);
DROP INDEX games_map;
CREATE INDEX game_players_games ON game_players (name_key, game_key);
DROP INDEX game_players_name;
DROP INDEX game_players_address;
CREATE INDEX game_players_ip ON game_players (ip) WHERE ip IS NOT NULL;
CREATE INDEX game_players_with_ip ON game_players (game_key) WHERE ip IS NOT NULL;
CREATE INDEX audit_game ON audit (game_key) WHERE game_key IS NOT NULL;

-- +goose Down
DROP INDEX audit_game;
DROP INDEX game_players_with_ip;
DROP INDEX game_players_ip;
CREATE INDEX game_players_address ON game_players (ip);
CREATE INDEX game_players_name ON game_players (name_key, realm);
DROP INDEX game_players_games;
CREATE INDEX games_map ON games (map_sha1);
DROP INDEX games_map_key;
DROP INDEX games_started_at;
DROP INDEX games_uncounted;
