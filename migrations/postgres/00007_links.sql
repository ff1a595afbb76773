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
COMMENT ON TABLE links IS 'A connection that broke in a game and was waited for, or one that came back.';
COMMENT ON COLUMN links.game_key IS 'the game';
COMMENT ON COLUMN links.seq IS 'number of the record';
COMMENT ON COLUMN links.at IS 'when';
COMMENT ON COLUMN links.turn IS 'in which';
COMMENT ON COLUMN links.pid IS 'whose connection';
COMMENT ON COLUMN links.resumed IS 'it came back; else it broke';
COMMENT ON COLUMN links.away_ms IS 'how long the player was without one; 0 if the old one seemed alive';
COMMENT ON COLUMN links.reason IS 'why it broke';

-- +goose Down
DROP TABLE links;
