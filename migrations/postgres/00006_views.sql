-- +goose Up
SET LOCAL lock_timeout = '5s';
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
       (g.created_at AT TIME ZONE 'UTC')::date AS day
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
            ELSE (extract(epoch FROM coalesce(p.left_at, g.ended_at) - g.loaded_at) * 1000)::bigint END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT bool_or(r.contradicts) THEN min(r.value)
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


COMMENT ON TABLE hosts IS 'A host program that shares this database.';
COMMENT ON COLUMN hosts.id IS 'the same over restarts; in the file host-id beside the spool';
COMMENT ON COLUMN hosts.run IS 'this life of the host, new at every start';
COMMENT ON COLUMN hosts.name IS 'for people';
COMMENT ON COLUMN hosts.version IS 'of w3host';
COMMENT ON COLUMN hosts.started_at IS 'when this life began';
COMMENT ON COLUMN hosts.heartbeat_at IS 'moves every ten seconds';
COMMENT ON COLUMN hosts.stopped_at IS 'NULL while it runs';
COMMENT ON TABLE spool_positions IS 'How far the spool of each life of a host is applied. Moves in the transaction of the records, so that each is applied once.';
COMMENT ON COLUMN spool_positions.run IS 'the life of the host';
COMMENT ON COLUMN spool_positions.host_id IS 'whose';
COMMENT ON COLUMN spool_positions.applied IS 'number of the last record';
COMMENT ON TABLE games IS 'A lobby, and the game it became.';
COMMENT ON COLUMN games.key IS 'UUID version 7: sorts by the time it was made';
COMMENT ON COLUMN games.host_id IS 'where it ran';
COMMENT ON COLUMN games.run IS 'in which life of the host';
COMMENT ON COLUMN games.name IS 'in the list of games';
COMMENT ON COLUMN games.owner IS 'who opened or rules the lobby';
COMMENT ON COLUMN games.realm IS 'where it is listed; empty: the LAN';
COMMENT ON COLUMN games.private IS 'not listed for everybody';
COMMENT ON COLUMN games.game_id IS 'number on the wire';
COMMENT ON COLUMN games.version IS 'of Warcraft III, as 1.26';
COMMENT ON COLUMN games.map_name IS 'as the map calls itself';
COMMENT ON COLUMN games.map_path IS 'as clients see it';
COMMENT ON COLUMN games.map_size IS 'bytes';
COMMENT ON COLUMN games.map_crc32 IS '8 hex digits';
COMMENT ON COLUMN games.map_checksum IS '8 hex digits; what clients compare';
COMMENT ON COLUMN games.map_sha1 IS '40 hex digits';
COMMENT ON COLUMN games.settings IS 'speed, visibility, observers …';
COMMENT ON COLUMN games.latency_ms IS 'period of a turn';
COMMENT ON COLUMN games.seed IS 'random seed sent to clients';
COMMENT ON COLUMN games.created_at IS 'the lobby opened';
COMMENT ON COLUMN games.started_at IS 'loading began; NULL: never';
COMMENT ON COLUMN games.loaded_at IS 'the first turn followed';
COMMENT ON COLUMN games.ended_at IS 'NULL: goes on';
COMMENT ON COLUMN games.ended IS 'finished, desync, closed, stopped, shutdown, host crashed';
COMMENT ON COLUMN games.ended_detail IS 'in words';
COMMENT ON COLUMN games.turns IS 'how many';
COMMENT ON COLUMN games.played_ms IS 'game time';
COMMENT ON COLUMN games.replay IS 'file name';
COMMENT ON COLUMN games.counted IS 'it is in the totals';
COMMENT ON COLUMN games.players IS 'who played, without computers and fake players';
COMMENT ON TABLE game_players IS 'Everybody who joined a game or its lobby.';
COMMENT ON COLUMN game_players.game_key IS 'the game';
COMMENT ON COLUMN game_players.pid IS 'number on the wire; comes again in a lobby when its player left';
COMMENT ON COLUMN game_players.joined_seq IS 'number of the record, tells those of one pid apart';
COMMENT ON COLUMN game_players.name IS 'as typed';
COMMENT ON COLUMN game_players.name_key IS 'in lower case, to compare';
COMMENT ON COLUMN game_players.realm IS 'who vouches for the name; empty: the LAN, nobody';
COMMENT ON COLUMN game_players.address IS 'written by programs before step 4; moved to ip in the background';
COMMENT ON COLUMN game_players.fake IS 'holds a slot without a client';
COMMENT ON COLUMN game_players.slot IS 'from 0; NULL: left before the start';
COMMENT ON COLUMN game_players.team IS 'from 0; 12 watches';
COMMENT ON COLUMN game_players.colour IS 'from 0';
COMMENT ON COLUMN game_players.race IS '1 human, 2 orc, 4 night elf, 8 undead, 32 random';
COMMENT ON COLUMN game_players.handicap IS 'percent';
COMMENT ON COLUMN game_players.joined_at IS 'into the lobby';
COMMENT ON COLUMN game_players.loaded_after_ms IS 'since the start';
COMMENT ON COLUMN game_players.left_at IS 'NULL: until the end';
COMMENT ON COLUMN game_players.left_turn IS '0 in the lobby';
COMMENT ON COLUMN game_players.left_code IS '1 disconnected, 7 lost, 9 won, 10 draw, 11 observer, 13 left the lobby';
COMMENT ON COLUMN game_players.left_reason IS 'in words';
COMMENT ON COLUMN game_players.ping_ms IS 'mean round trip';
COMMENT ON COLUMN game_players.actions IS 'how many';
COMMENT ON COLUMN game_players.ip IS 'address of the client; NULL when retention has removed it';
COMMENT ON TABLE game_computers IS 'The computers of a game.';
COMMENT ON COLUMN game_computers.game_key IS 'the game';
COMMENT ON COLUMN game_computers.slot IS 'from 0';
COMMENT ON COLUMN game_computers.team IS 'from 0';
COMMENT ON COLUMN game_computers.colour IS 'from 0';
COMMENT ON COLUMN game_computers.race IS 'as in game_players';
COMMENT ON COLUMN game_computers.handicap IS 'percent';
COMMENT ON COLUMN game_computers.difficulty IS '0 easy, 1 normal, 2 insane';
COMMENT ON TABLE chat IS 'A line that somebody said.';
COMMENT ON COLUMN chat.game_key IS 'the game';
COMMENT ON COLUMN chat.seq IS 'number of the record';
COMMENT ON COLUMN chat.at IS 'when';
COMMENT ON COLUMN chat.turn IS '0 in the lobby';
COMMENT ON COLUMN chat.pid IS 'who said it';
COMMENT ON COLUMN chat.name IS 'who said it';
COMMENT ON COLUMN chat.scope IS 'lobby, all, allies, observers, private';
COMMENT ON COLUMN chat.recipient IS 'of a private line';
COMMENT ON COLUMN chat.line IS 'the text';
COMMENT ON TABLE lags IS 'A wait on the lag screen, written when it is over.';
COMMENT ON COLUMN lags.game_key IS 'the game';
COMMENT ON COLUMN lags.seq IS 'number of the record';
COMMENT ON COLUMN lags.at IS 'its end';
COMMENT ON COLUMN lags.turn IS 'in which';
COMMENT ON COLUMN lags.pid IS 'who was waited for';
COMMENT ON COLUMN lags.lasted_ms IS 'how long';
COMMENT ON COLUMN lags.behind IS 'turns, at worst';
COMMENT ON COLUMN lags.ping_ms IS 'round trip of the player';
COMMENT ON COLUMN lags.host_late_ms IS 'how late the host itself was';
COMMENT ON COLUMN lags.backlog IS 'bytes that waited for the socket';
COMMENT ON COLUMN lags.cause IS 'connection, host, loading';
COMMENT ON TABLE drops IS 'A player whom the game removed.';
COMMENT ON COLUMN drops.game_key IS 'the game';
COMMENT ON COLUMN drops.seq IS 'number of the record';
COMMENT ON COLUMN drops.at IS 'when';
COMMENT ON COLUMN drops.turn IS 'in which';
COMMENT ON COLUMN drops.pid IS 'who';
COMMENT ON COLUMN drops.reason IS 'vote, time, hash';
COMMENT ON COLUMN drops.decided_by IS 'when somebody did';
COMMENT ON COLUMN drops.votes IS 'how many';
COMMENT ON TABLE desyncs IS 'A disagreement of sync hashes.';
COMMENT ON COLUMN desyncs.game_key IS 'the game';
COMMENT ON COLUMN desyncs.seq IS 'number of the record';
COMMENT ON COLUMN desyncs.at IS 'when';
COMMENT ON COLUMN desyncs.turn IS 'in which';
COMMENT ON COLUMN desyncs.parts IS 'hash, pids, dropped';
COMMENT ON COLUMN desyncs.dossier IS 'hashes and actions of the last turns';
COMMENT ON TABLE downloads IS 'A map transfer that ended.';
COMMENT ON COLUMN downloads.game_key IS 'the game';
COMMENT ON COLUMN downloads.seq IS 'number of the record';
COMMENT ON COLUMN downloads.at IS 'its end';
COMMENT ON COLUMN downloads.pid IS 'to whom';
COMMENT ON COLUMN downloads.name IS 'to whom';
COMMENT ON COLUMN downloads.bytes IS 'sent';
COMMENT ON COLUMN downloads.took_ms IS 'how long';
COMMENT ON COLUMN downloads.complete IS 'the player has the map';
COMMENT ON COLUMN downloads.detail IS 'why it ended early';
COMMENT ON TABLE results IS 'A value that the map reported by W3MMD or DotA: the word of one sender.';
COMMENT ON COLUMN results.game_key IS 'the game';
COMMENT ON COLUMN results.seq IS 'number of the record';
COMMENT ON COLUMN results.at IS 'when';
COMMENT ON COLUMN results.turn IS 'in which';
COMMENT ON COLUMN results.source IS 'w3mmd, dota, vote';
COMMENT ON COLUMN results.sender IS 'pid whose client said so';
COMMENT ON COLUMN results.pid IS 'about whom; NULL: about the game';
COMMENT ON COLUMN results.name IS 'of the value';
COMMENT ON COLUMN results.value IS 'as sent';
COMMENT ON COLUMN results.number IS 'the same as a number';
COMMENT ON COLUMN results.contradicts IS 'another sender denies it';
COMMENT ON TABLE audit IS 'Who did what, on whom. Outlives its game.';
COMMENT ON COLUMN audit.run IS 'the life of the host';
COMMENT ON COLUMN audit.seq IS 'number of the record';
COMMENT ON COLUMN audit.at IS 'when';
COMMENT ON COLUMN audit.game_key IS 'NULL: concerns no game';
COMMENT ON COLUMN audit.who IS 'did it';
COMMENT ON COLUMN audit.realm IS 'of who';
COMMENT ON COLUMN audit.via IS 'lobby, game, console, api, cli, realm';
COMMENT ON COLUMN audit.action IS 'the command';
COMMENT ON COLUMN audit.target IS 'on whom or what';
COMMENT ON COLUMN audit.detail IS 'arguments';
COMMENT ON COLUMN audit.refused IS 'why it was not done; empty: it was';
COMMENT ON TABLE bans IS 'Who may not play. A ban that is over stays, with lifted_at.';
COMMENT ON COLUMN bans.id IS 'number';
COMMENT ON COLUMN bans.name IS 'empty: any name';
COMMENT ON COLUMN bans.name_key IS 'in lower case';
COMMENT ON COLUMN bans.network IS 'address or CIDR as text; empty: any';
COMMENT ON COLUMN bans.realm IS 'empty: everywhere';
COMMENT ON COLUMN bans.reason IS 'told to the player';
COMMENT ON COLUMN bans.banned_by IS 'who';
COMMENT ON COLUMN bans.banned_at IS 'when';
COMMENT ON COLUMN bans.expires_at IS 'NULL: never';
COMMENT ON COLUMN bans.lifted_by IS 'who';
COMMENT ON COLUMN bans.lifted_at IS 'NULL: holds';
COMMENT ON COLUMN bans.range IS 'network, to be searched by';
COMMENT ON TABLE admins IS 'Who may command.';
COMMENT ON COLUMN admins.name_key IS 'in lower case';
COMMENT ON COLUMN admins.realm IS 'empty: the LAN';
COMMENT ON COLUMN admins.name IS 'as written';
COMMENT ON COLUMN admins.role IS 'admin, root';
COMMENT ON COLUMN admins.added_by IS 'who';
COMMENT ON COLUMN admins.added_at IS 'when';
COMMENT ON TABLE player_totals IS 'Sums over the counted games of a player.';
COMMENT ON COLUMN player_totals.name_key IS 'the player';
COMMENT ON COLUMN player_totals.realm IS 'the player';
COMMENT ON COLUMN player_totals.name IS 'as last typed';
COMMENT ON COLUMN player_totals.games IS 'started and ended';
COMMENT ON COLUMN player_totals.won IS 'as the maps told';
COMMENT ON COLUMN player_totals.lost IS 'as the maps told';
COMMENT ON COLUMN player_totals.drawn IS 'as the maps told';
COMMENT ON COLUMN player_totals.left_early IS 'as the maps told';
COMMENT ON COLUMN player_totals.dropped IS 'games in which the game removed them';
COMMENT ON COLUMN player_totals.lags IS 'waits for them';
COMMENT ON COLUMN player_totals.played_ms IS 'time in games';
COMMENT ON COLUMN player_totals.actions IS 'how many';
COMMENT ON COLUMN player_totals.pings IS 'games with a round trip';
COMMENT ON COLUMN player_totals.ping_ms IS 'sum of the round trips of these';
COMMENT ON COLUMN player_totals.first_game IS 'start';
COMMENT ON COLUMN player_totals.last_game IS 'start';
COMMENT ON TABLE player_map_totals IS 'Sums over the counted games of a player on a map.';
COMMENT ON COLUMN player_map_totals.name_key IS 'the player';
COMMENT ON COLUMN player_map_totals.realm IS 'the player';
COMMENT ON COLUMN player_map_totals.map_sha1 IS 'the map';
COMMENT ON COLUMN player_map_totals.map_name IS 'as last called';
COMMENT ON COLUMN player_map_totals.name IS 'the player, as last typed';
COMMENT ON COLUMN player_map_totals.games IS 'how many';
COMMENT ON COLUMN player_map_totals.won IS 'as the map told';
COMMENT ON COLUMN player_map_totals.lost IS 'as the map told';
COMMENT ON TABLE player_value_totals IS 'Sums over the numbers that maps reported of a player, such as kills; contradicted ones left out.';
COMMENT ON COLUMN player_value_totals.name_key IS 'the player';
COMMENT ON COLUMN player_value_totals.realm IS 'the player';
COMMENT ON COLUMN player_value_totals.source IS 'w3mmd, dota';
COMMENT ON COLUMN player_value_totals.name IS 'of the value';
COMMENT ON COLUMN player_value_totals.games IS 'that told it';
COMMENT ON COLUMN player_value_totals.sum IS 'over these';
COMMENT ON COLUMN player_value_totals.most IS 'highest ever told';
COMMENT ON TABLE map_totals IS 'Sums over the counted lobbies of a map.';
COMMENT ON COLUMN map_totals.map_sha1 IS 'the map';
COMMENT ON COLUMN map_totals.map_name IS 'as last called';
COMMENT ON COLUMN map_totals.lobbies IS 'in all';
COMMENT ON COLUMN map_totals.games IS 'of these, started';
COMMENT ON COLUMN map_totals.finished IS 'of these, played to the end';
COMMENT ON COLUMN map_totals.desyncs IS 'ended by a desync';
COMMENT ON COLUMN map_totals.finished_ms IS 'sum of the game time of finished ones';
COMMENT ON COLUMN map_totals.players IS 'sum over games';
COMMENT ON COLUMN map_totals.last_game IS 'start';
COMMENT ON TABLE day_totals IS 'Sums over the counted lobbies of a day.';
COMMENT ON COLUMN day_totals.day IS 'UTC, when the lobby opened';
COMMENT ON COLUMN day_totals.lobbies IS 'in all';
COMMENT ON COLUMN day_totals.games IS 'of these, started';
COMMENT ON COLUMN day_totals.desyncs IS 'ended by a desync';
COMMENT ON COLUMN day_totals.crashed IS 'the host died';
COMMENT ON COLUMN day_totals.players IS 'sum over games';

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
SELECT p.game_key, p.pid, p.name, p.name_key, p.realm, p.address, p.slot, p.team, p.colour, p.race, p.handicap,
       p.loaded_after_ms, p.left_turn, p.left_code, p.left_reason, p.ping_ms, p.actions,
       g.map_name, g.map_sha1, g.started_at, g.loaded_at, coalesce(p.left_at, g.ended_at) AS left_at, g.ended,
       CASE WHEN g.loaded_at IS NULL OR coalesce(p.left_at, g.ended_at) < g.loaded_at THEN 0
            ELSE (extract(epoch FROM coalesce(p.left_at, g.ended_at) - g.loaded_at) * 1000)::bigint END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT bool_or(r.contradicts) THEN min(r.value)
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
SELECT date_trunc('day', created_at) AS day, count(*) AS lobbies,
       sum(CASE WHEN started_at IS NULL THEN 0 ELSE 1 END) AS games,
       sum(CASE WHEN ended = 'desync' THEN 1 ELSE 0 END) AS desyncs,
       sum(CASE WHEN ended = 'host crashed' THEN 1 ELSE 0 END) AS crashed
FROM games WHERE created_at IS NOT NULL
GROUP BY 1;
