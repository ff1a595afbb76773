-- +goose Up
DROP VIEW daily_games;
DROP VIEW map_stats;
DROP VIEW player_stats;
DROP VIEW played;
DROP VIEW result_values;
DROP VIEW game_list;

-- One line per game, the latest with the highest key.
CREATE VIEW game_list AS
SELECT g.key, g.name, g.owner, g.realm, g.version, g.map_name, g.map_sha1, h.name AS host,
       g.created_at, g.started_at, g.loaded_at, g.ended_at, g.ended, g.ended_detail,
       g.turns, g.played_ms, g.latency_ms, g.replay, g.players,
       (SELECT count(*) FROM chat c WHERE c.game_key = g.key) AS chat_lines,
       (SELECT count(*) FROM desyncs d WHERE d.game_key = g.key) AS desyncs,
       substr(g.created_at, 1, 10) AS day
FROM games g LEFT JOIN hosts h ON h.id = g.host_id;

-- What maps reported; contradicted says that two senders, or two words of one
-- sender, do not agree on the value.
CREATE VIEW result_values AS
SELECT r.*, (r.contradicts OR
             min(r.value) OVER same <> max(r.value) OVER same) AS contradicted
FROM results r
WINDOW same AS (PARTITION BY r.game_key, r.source, r.pid, r.name);

-- One line per player and game they were in when it started. outcome is what the
-- map told: won, lost, drew, left; 'disputed' when senders contradict each other.
CREATE VIEW played AS
SELECT p.game_key, p.pid, p.name, p.name_key, p.realm, p.ip AS address, p.slot, p.team, p.colour, p.race, p.handicap,
       p.loaded_after_ms, p.left_turn, p.left_code, p.left_reason, p.ping_ms, p.actions,
       g.map_name, g.map_sha1, g.started_at, g.loaded_at, coalesce(p.left_at, g.ended_at) AS left_at, g.ended,
       CASE WHEN g.loaded_at IS NULL OR coalesce(p.left_at, g.ended_at) < g.loaded_at THEN 0
            ELSE CAST(round((julianday(coalesce(p.left_at, g.ended_at)) - julianday(g.loaded_at)) * 86400000) AS integer) END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT max(r.contradicts) THEN min(r.value)
                    WHEN min(r.value) IS NOT NULL THEN 'disputed' END
        FROM results r
        WHERE r.game_key = p.game_key AND r.pid = p.pid AND r.name = 'outcome') AS outcome,
       (SELECT count(*) FROM drops d WHERE d.game_key = p.game_key AND d.pid = p.pid) AS drops,
       (SELECT count(*) FROM lags l WHERE l.game_key = p.game_key AND l.pid = p.pid) AS lags
FROM game_players p
JOIN games g ON g.key = p.game_key
WHERE p.slot IS NOT NULL AND NOT p.fake;

-- What the writer keeps counted: games that have ended.
CREATE VIEW player_stats AS
SELECT name_key, realm, name, games, won, lost, drawn, left_early, dropped, lags, played_ms, actions,
       CASE WHEN pings > 0 THEN CAST(ping_ms AS double precision) / pings END AS ping_ms, first_game, last_game
FROM player_totals WHERE games > 0;

CREATE VIEW map_stats AS
SELECT map_sha1, map_name, lobbies, games, finished, desyncs,
       CASE WHEN finished > 0 THEN CAST(finished_ms AS double precision) / finished END AS played_ms,
       CASE WHEN games > 0 THEN CAST(players AS double precision) / games END AS players, last_game
FROM map_totals WHERE lobbies > 0;

CREATE VIEW daily_games AS
SELECT day, lobbies, games, desyncs, crashed, players FROM day_totals WHERE lobbies > 0;

-- +goose Down
DROP VIEW daily_games;
DROP VIEW map_stats;
DROP VIEW player_stats;
DROP VIEW played;
DROP VIEW result_values;
DROP VIEW game_list;

-- One line per game.
CREATE VIEW game_list AS
SELECT g.key, g.name, g.owner, g.realm, g.version, g.map_name, g.map_sha1, h.name AS host,
       g.created_at, g.started_at, g.loaded_at, g.ended_at, g.ended, g.ended_detail,
       g.turns, g.played_ms, g.latency_ms, g.replay,
       (SELECT count(*) FROM game_players p WHERE p.game_key = g.key AND p.slot IS NOT NULL AND NOT p.fake) AS players,
       (SELECT count(*) FROM chat c WHERE c.game_key = g.key) AS chat_lines,
       (SELECT count(*) FROM desyncs d WHERE d.game_key = g.key) AS desyncs
FROM games g LEFT JOIN hosts h ON h.id = g.host_id;

-- What maps reported; contradicted says that two senders, or two words of one
-- sender, do not agree on the value.
CREATE VIEW result_values AS
SELECT r.*, (r.contradicts OR
             min(r.value) OVER same <> max(r.value) OVER same) AS contradicted
FROM results r
WINDOW same AS (PARTITION BY r.game_key, r.source, r.pid, r.name);

-- One line per player and game he was in when it started. outcome is what the
-- map told: won, lost, drew, left; 'disputed' when senders contradict each other.
CREATE VIEW played AS
SELECT p.game_key, p.pid, p.name, p.name_key, p.realm, p.ip AS address, p.slot, p.team, p.colour, p.race, p.handicap,
       p.loaded_after_ms, p.left_turn, p.left_code, p.left_reason, p.ping_ms, p.actions,
       g.map_name, g.map_sha1, g.started_at, g.loaded_at, coalesce(p.left_at, g.ended_at) AS left_at, g.ended,
       CASE WHEN g.loaded_at IS NULL OR coalesce(p.left_at, g.ended_at) < g.loaded_at THEN 0
            ELSE CAST(round((julianday(coalesce(p.left_at, g.ended_at)) - julianday(g.loaded_at)) * 86400000) AS integer) END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT max(r.contradicts) THEN min(r.value)
                    WHEN min(r.value) IS NOT NULL THEN 'disputed' END
        FROM results r
        WHERE r.game_key = p.game_key AND r.pid = p.pid AND r.name = 'outcome') AS outcome,
       (SELECT count(*) FROM drops d WHERE d.game_key = p.game_key AND d.pid = p.pid) AS drops,
       (SELECT count(*) FROM lags l WHERE l.game_key = p.game_key AND l.pid = p.pid) AS lags
FROM game_players p
JOIN games g ON g.key = p.game_key
WHERE p.slot IS NOT NULL AND NOT p.fake;

CREATE VIEW player_stats AS
SELECT name_key, realm, max(name) AS name,
       count(*) AS games,
       sum(CASE WHEN outcome = 'won' THEN 1 ELSE 0 END) AS won,
       sum(CASE WHEN outcome = 'lost' THEN 1 ELSE 0 END) AS lost,
       sum(CASE WHEN outcome = 'drew' THEN 1 ELSE 0 END) AS drawn,
       sum(CASE WHEN outcome = 'left' THEN 1 ELSE 0 END) AS left_early,
       sum(CASE WHEN drops > 0 THEN 1 ELSE 0 END) AS dropped,
       sum(lags) AS lags,
       sum(coalesce(played_ms, 0)) AS played_ms,
       sum(coalesce(actions, 0)) AS actions,
       avg(ping_ms) AS ping_ms,
       min(started_at) AS first_game,
       max(started_at) AS last_game
FROM played
GROUP BY name_key, realm;

CREATE VIEW map_stats AS
SELECT map_sha1, max(map_name) AS map_name,
       count(*) AS lobbies,
       sum(CASE WHEN started_at IS NULL THEN 0 ELSE 1 END) AS games,
       sum(CASE WHEN ended = 'finished' THEN 1 ELSE 0 END) AS finished,
       sum(CASE WHEN ended = 'desync' THEN 1 ELSE 0 END) AS desyncs,
       avg(CASE WHEN ended = 'finished' THEN played_ms END) AS played_ms,
       avg(CASE WHEN started_at IS NOT NULL THEN players END) AS players,
       max(started_at) AS last_game
FROM (SELECT g.map_sha1, g.map_name, g.started_at, g.ended, g.played_ms, (SELECT count(*) FROM game_players p
                   WHERE p.game_key = g.key AND p.slot IS NOT NULL AND NOT p.fake) AS players FROM games g) counted
GROUP BY map_sha1;

CREATE VIEW daily_games AS
SELECT substr(created_at, 1, 10) AS day, count(*) AS lobbies,
       sum(CASE WHEN started_at IS NULL THEN 0 ELSE 1 END) AS games,
       sum(CASE WHEN ended = 'desync' THEN 1 ELSE 0 END) AS desyncs,
       sum(CASE WHEN ended = 'host crashed' THEN 1 ELSE 0 END) AS crashed
FROM games WHERE created_at IS NOT NULL
GROUP BY 1;
