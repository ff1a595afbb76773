-- +goose Up
-- Connections that broke in a game and were waited for, and those that came back:
-- how long a player was away, 0 when the old connection seemed alive.
CREATE TABLE links (
    game_key uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      bigint NOT NULL,
    at       timestamptz,
    turn     bigint NOT NULL,
    pid      smallint NOT NULL,
    resumed  boolean NOT NULL,
    away_ms  bigint NOT NULL,
    reason   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- +goose Down
DROP TABLE links;
