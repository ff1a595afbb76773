INSERT INTO player_totals AS t (name_key, realm, name, games, won, lost, drawn, left_early, dropped, lags,
	played_ms, actions, pings, ping_ms, first_game, last_game)
SELECT name_key, realm, max(name), $2 * count(*), $2 * count(*) FILTER (WHERE outcome = 'won'),
	$2 * count(*) FILTER (WHERE outcome IN ('lost', 'forfeited')), $2 * count(*) FILTER (WHERE outcome = 'drew'),
	$2 * count(*) FILTER (WHERE outcome = 'left'), $2 * count(*) FILTER (WHERE drops > 0), $2 * sum(lags),
	$2 * sum(coalesce(played_ms, 0)), $2 * sum(coalesce(actions, 0)), $2 * count(ping_ms), $2 * sum(coalesce(ping_ms, 0)),
	min(started_at), max(started_at)
FROM played WHERE game_key IN (SELECT value FROM json_each($1)) AND name_key <> '' GROUP BY name_key, realm ORDER BY name_key, realm
ON CONFLICT (name_key, realm) DO UPDATE SET
	games = t.games + excluded.games, won = t.won + excluded.won, lost = t.lost + excluded.lost, drawn = t.drawn + excluded.drawn,
	left_early = t.left_early + excluded.left_early, dropped = t.dropped + excluded.dropped, lags = t.lags + excluded.lags,
	played_ms = t.played_ms + excluded.played_ms, actions = t.actions + excluded.actions,
	pings = t.pings + excluded.pings, ping_ms = t.ping_ms + excluded.ping_ms,
	name = CASE WHEN excluded.games > 0 THEN excluded.name ELSE t.name END,
	first_game = CASE WHEN t.first_game IS NULL OR excluded.first_game < t.first_game THEN excluded.first_game ELSE t.first_game END,
	last_game = CASE WHEN t.last_game IS NULL OR excluded.last_game > t.last_game THEN excluded.last_game ELSE t.last_game END;

INSERT INTO player_map_totals AS t (name_key, realm, map_sha1, map_name, name, games, won, lost)
SELECT name_key, realm, map_sha1, max(map_name), max(name), $2 * count(*),
	$2 * count(*) FILTER (WHERE outcome = 'won'), $2 * count(*) FILTER (WHERE outcome IN ('lost', 'forfeited'))
FROM played WHERE game_key IN (SELECT value FROM json_each($1)) AND name_key <> '' GROUP BY name_key, realm, map_sha1 ORDER BY name_key, realm, map_sha1
ON CONFLICT (name_key, realm, map_sha1) DO UPDATE SET
	games = t.games + excluded.games, won = t.won + excluded.won, lost = t.lost + excluded.lost, map_name = excluded.map_name,
	name = CASE WHEN excluded.games > 0 THEN excluded.name ELSE t.name END;

-- One value per game, whoever sent it; games where senders disagree drop out.
INSERT INTO player_value_totals AS t (name_key, realm, source, name, games, sum, most)
SELECT name_key, realm, source, name, $2 * count(*), $2 * sum(number), max(number) FROM (
	SELECT p.name_key, p.realm, r.game_key, r.source, r.name, max(r.number) AS number
	FROM game_players p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid
	WHERE p.game_key IN (SELECT value FROM json_each($1)) AND p.name_key <> '' AND p.slot IS NOT NULL AND NOT p.fake AND NOT r.doubtful
	GROUP BY p.name_key, p.realm, r.game_key, r.source, r.name
	HAVING min(r.value) = max(r.value) AND max(r.number) IS NOT NULL AND count(*) FILTER (WHERE r.contradicts) = 0) reported
GROUP BY name_key, realm, source, name ORDER BY name_key, realm, source, name
ON CONFLICT (name_key, realm, source, name) DO UPDATE SET games = t.games + excluded.games, sum = t.sum + excluded.sum,
	most = CASE WHEN excluded.games > 0 AND excluded.most > t.most THEN excluded.most ELSE t.most END;

INSERT INTO map_totals AS t (map_sha1, map_name, lobbies, games, finished, desyncs, finished_ms, players, last_game)
SELECT map_sha1, max(map_name), $2 * count(*), $2 * count(started_at), $2 * count(*) FILTER (WHERE ended = 'finished'),
	$2 * count(*) FILTER (WHERE ended = 'desync'), $2 * coalesce(sum(played_ms) FILTER (WHERE ended = 'finished'), 0),
	$2 * coalesce(sum(players) FILTER (WHERE started_at IS NOT NULL), 0), max(started_at)
FROM games WHERE key IN (SELECT value FROM json_each($1)) GROUP BY map_sha1 ORDER BY map_sha1
ON CONFLICT (map_sha1) DO UPDATE SET
	lobbies = t.lobbies + excluded.lobbies, games = t.games + excluded.games, finished = t.finished + excluded.finished,
	desyncs = t.desyncs + excluded.desyncs, finished_ms = t.finished_ms + excluded.finished_ms, players = t.players + excluded.players,
	map_name = excluded.map_name,
	last_game = CASE WHEN t.last_game IS NULL OR excluded.last_game > t.last_game THEN excluded.last_game ELSE t.last_game END;

INSERT INTO day_totals AS t (day, lobbies, games, desyncs, crashed, players)
SELECT day, $2 * count(*), $2 * count(started_at), $2 * count(*) FILTER (WHERE ended = 'desync'),
	$2 * count(*) FILTER (WHERE ended = 'host crashed'), $2 * coalesce(sum(players) FILTER (WHERE started_at IS NOT NULL), 0)
FROM game_list WHERE key IN (SELECT value FROM json_each($1)) AND created_at IS NOT NULL GROUP BY day ORDER BY day
ON CONFLICT (day) DO UPDATE SET
	lobbies = t.lobbies + excluded.lobbies, games = t.games + excluded.games, desyncs = t.desyncs + excluded.desyncs,
	crashed = t.crashed + excluded.crashed, players = t.players + excluded.players;
