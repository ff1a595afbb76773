-- +goose Up
-- What many hosts share: who lives, and who has what must exist once. docs/fleet.md.

-- The time of leases is a tick that hosts push on. No clock of a machine decides anything.
CREATE TABLE fleet_clock (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    tick     bigint NOT NULL DEFAULT 1000,
    timeline text NOT NULL DEFAULT '', -- of the server; another after a failover. The first host of a fleet writes it
    hold     bigint NOT NULL DEFAULT 0, -- nothing is taken before this tick
    living   integer NOT NULL DEFAULT 0, -- sessions that take lobbies, and
    places   bigint NOT NULL DEFAULT 0  -- what all sessions have, a tick ago
);
INSERT INTO fleet_clock DEFAULT VALUES;

-- A host that lives. Only until, beat, draining and places change, which no index has.
CREATE TABLE fleet_sessions (
    id       uuid PRIMARY KEY,
    host     uuid NOT NULL, -- of hosts.id
    run      uuid NOT NULL,
    number   integer NOT NULL UNIQUE, -- the smallest that was free
    name     text NOT NULL,
    address  text NOT NULL,
    beat     bigint NOT NULL DEFAULT 0,
    until    bigint NOT NULL, -- a tick
    draining boolean NOT NULL DEFAULT false,
    places   integer NOT NULL DEFAULT 0 -- lobbies and games
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE fleet_pools (
    pool   text PRIMARY KEY,
    leases integer NOT NULL,
    n      bigint NOT NULL DEFAULT 0 -- lobbies so far
);

CREATE TABLE fleet_leases (
    name    text PRIMARY KEY,
    pool    text NOT NULL,
    place   integer NOT NULL, -- in the pool, from 1
    session uuid,
    term    bigint NOT NULL DEFAULT 0, -- counts its holders
    number  bigint NOT NULL DEFAULT 0, -- of the pool's n, of this term
    free    bigint NOT NULL DEFAULT 0  -- since this tick
) WITH (fillfactor = 70);
CREATE INDEX fleet_leases_session ON fleet_leases (session) WHERE session IS NOT NULL;
CREATE INDEX fleet_leases_free ON fleet_leases (pool) WHERE session IS NULL;

-- What a host tells another. It is gone when it has been read.
CREATE TABLE fleet_posts (
    id       uuid PRIMARY KEY,
    receiver uuid NOT NULL, -- a session
    body     text NOT NULL
);
CREATE INDEX fleet_posts_receiver ON fleet_posts (receiver);

-- +goose StatementBegin
CREATE FUNCTION fleet_enter(me uuid, my_host uuid, my_run uuid, my_name text, my_address text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE mine integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('w3host fleet_enter'));
    SELECT min(n) INTO mine FROM generate_series(1, (SELECT count(*)::int + 1 FROM fleet_sessions)) n
        WHERE NOT EXISTS (SELECT 1 FROM fleet_sessions s WHERE s.number = n);
    INSERT INTO fleet_sessions (id, host, run, number, name, address, until) SELECT me, my_host, my_run, mine, my_name, my_address, tick + 10 FROM fleet_clock;
    UPDATE fleet_clock SET living = (SELECT count(*) FROM fleet_sessions s WHERE NOT s.draining);
    RETURN mine;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION fleet_leave(me uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE took boolean;
BEGIN
    DELETE FROM fleet_sessions WHERE id = me RETURNING NOT draining INTO took;
    UPDATE fleet_leases SET session = NULL, free = (SELECT tick FROM fleet_clock) WHERE session = me;
    DELETE FROM fleet_posts WHERE receiver = me;
    IF took THEN UPDATE fleet_clock SET living = greatest(living - 1, 1); END IF;
END $$;
-- +goose StatementEnd

-- A place for a lobby that no lease is for; false: all hosts have as many as they may.
-- +goose StatementBegin
CREATE FUNCTION fleet_place(me uuid, most_places integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('w3host fleet_places'));
    UPDATE fleet_sessions SET places = places + 1 WHERE id = me AND (SELECT sum(s.places) FROM fleet_sessions s) < most_places;
    RETURN FOUND;
END $$;
-- +goose StatementEnd

-- A beat: the session is renewed, leases are given back and taken, and the tick is pushed. No
-- row: there is no such session any more, or the beat is an old one. The order is part of the
-- protocol, and its model in fleet/model_test.go has the same.
-- Arrays are read before they are used, and scans are off, since the planner takes a
-- LIMIT that it does not know for a tenth of the table; compiling costs more than the rest.
-- +goose StatementBegin
CREATE FUNCTION fleet_beat(me uuid, n bigint, seen bigint, pools text[], mosts integer[], helds integer[], highests integer[],
    gives text[], terms bigint[], complete boolean, load integer, drains boolean, most_places integer)
RETURNS TABLE (kind text, name text, pool text, body text, a bigint, b bigint, c bigint, d bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    t bigint; since text; held bigint; alive bigint; everywhere bigint; moved bigint; was boolean; room bigint; share bigint; size bigint; drawn bigint; names text[]; taken text[] := '{}'; dead uuid[];
    line text := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
BEGIN
    SELECT tick, timeline, hold, living, places INTO t, since, held, alive, everywhere FROM fleet_clock;
    IF since <> line THEN
        -- A copy has become the server, and may lack what was done last. Hosts may know ticks
        -- that it has yet to come to: the tick leaps, and with it all sessions.
        UPDATE fleet_clock SET timeline = line, tick = tick + 1000, hold = tick + 1010 WHERE timeline = since;
        IF FOUND THEN UPDATE fleet_sessions SET until = until + 1000; END IF;
        SELECT tick, hold INTO t, held FROM fleet_clock;
    END IF;
    SELECT s.draining INTO was FROM fleet_sessions s WHERE s.id = me AND s.beat < n FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE fleet_sessions s SET until = t + 10, beat = n, places = load, draining = drains WHERE s.id = me;
    IF drains AND NOT was THEN UPDATE fleet_clock SET living = greatest(living - 1, 1); END IF;
    IF cardinality(gives) > 0 THEN
        UPDATE fleet_leases l SET session = NULL, free = t FROM unnest(gives, terms) g(name, term)
            WHERE l.name = g.name AND l.term = g.term AND l.session = me;
    END IF;
    IF t >= held THEN
        FOR i IN 1 .. cardinality(pools) LOOP
            SELECT p.leases INTO size FROM fleet_pools p WHERE p.pool = pools[i];
            -- Whoever has less than its share, and is not busier than others, takes at once; others
            -- take one that nobody has wanted for three ticks.
            share := (size + greatest(alive, 1) - 1) / greatest(alive, 1) - helds[i];
            IF share > 0 AND load * greatest(alive, 1) <= everywhere + greatest(alive, 1) THEN
                share := least(share, mosts[i]);
                names := ARRAY(SELECT l.name FROM fleet_leases l WHERE l.session IS NULL AND l.pool = pools[i] AND l.place <= highests[i]
                    LIMIT share FOR UPDATE SKIP LOCKED);
            ELSE
                names := ARRAY(SELECT l.name FROM fleet_leases l WHERE l.session IS NULL AND l.pool = pools[i] AND l.place <= highests[i]
                    AND l.free <= t - 3 LIMIT 1 FOR UPDATE SKIP LOCKED);
            END IF;
            CONTINUE WHEN names = '{}';
            -- Nobody waits for who takes of the same pool at this moment: the next beat is soon.
            PERFORM FROM fleet_pools p WHERE p.pool = pools[i] FOR UPDATE SKIP LOCKED;
            CONTINUE WHEN NOT FOUND;
            IF most_places > 0 AND pools[i] LIKE 'entry/%' THEN
                EXIT WHEN NOT pg_try_advisory_xact_lock(hashtext('w3host fleet_places'));
                SELECT greatest(most_places - sum(s.places), 0) INTO room FROM fleet_sessions s;
                names := names[1:room::int];
                CONTINUE WHEN names = '{}';
                UPDATE fleet_sessions s SET places = s.places + cardinality(names) WHERE s.id = me;
            END IF;
            UPDATE fleet_pools p SET n = p.n + cardinality(names) WHERE p.pool = pools[i] RETURNING p.n INTO drawn;
            UPDATE fleet_leases l SET session = me, term = l.term + 1, number = drawn + 1 - array_position(names, l.name) WHERE l.name = ANY (names);
            taken := taken || names;
        END LOOP;
    END IF;
    IF complete THEN
        RETURN QUERY SELECT 'lease', l.name, l.pool, NULL::text, l.term, l.number, 0::bigint, 0::bigint FROM fleet_leases l WHERE l.session = me;
    ELSIF cardinality(taken) > 0 THEN
        RETURN QUERY SELECT 'lease', l.name, l.pool, NULL::text, l.term, l.number, 0::bigint, 0::bigint FROM fleet_leases l WHERE l.name = ANY (taken);
    END IF;
    RETURN QUERY DELETE FROM fleet_posts p WHERE p.receiver = me RETURNING 'post', p.id::text, NULL::text, p.body, 0::bigint, 0::bigint, 0::bigint, 0::bigint;
    IF seen > 0 THEN
        UPDATE fleet_clock SET tick = tick + 1
            WHERE one = (SELECT one FROM fleet_clock WHERE tick = seen FOR UPDATE SKIP LOCKED) RETURNING tick INTO moved;
        IF moved IS NOT NULL THEN -- whoever has pushed it looks who has died
            WITH gone AS (DELETE FROM fleet_sessions s WHERE s.id = ANY (ARRAY(
                    SELECT x.id FROM fleet_sessions x WHERE x.until < moved FOR UPDATE SKIP LOCKED)) RETURNING s.id)
            SELECT array_agg(g.id) INTO dead FROM gone g;
            IF dead IS NOT NULL THEN -- nobody has had it for long: others wait for one tick only
                UPDATE fleet_leases l SET session = NULL, free = moved - 2 WHERE l.session = ANY (dead);
                DELETE FROM fleet_posts p WHERE p.receiver = ANY (dead);
            END IF;
            SELECT count(*) FILTER (WHERE NOT s.draining), coalesce(sum(s.places), 0) INTO alive, everywhere FROM fleet_sessions s;
            UPDATE fleet_clock SET living = alive, places = everywhere;
            t := moved;
        END IF;
    END IF;
    RETURN QUERY SELECT 'tick', NULL::text, NULL::text, NULL::text, coalesce(moved, tick), hold, fleet_clock.places, living::bigint FROM fleet_clock;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION fleet_beat(uuid, bigint, bigint, text[], integer[], integer[], integer[], text[], bigint[], boolean, integer, boolean, integer);
DROP FUNCTION fleet_place(uuid, integer);
DROP FUNCTION fleet_leave(uuid);
DROP FUNCTION fleet_enter(uuid, uuid, uuid, text, text);
DROP TABLE fleet_posts, fleet_leases, fleet_pools, fleet_sessions, fleet_clock;
