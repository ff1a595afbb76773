-- +goose Up
-- A role may be bound to a network, and then needs no name; an admin may have to
-- log in; a player may choose a language.
ALTER TABLE admins ADD COLUMN network text NOT NULL DEFAULT '';
ALTER TABLE admins DROP CONSTRAINT admins_pkey;
ALTER TABLE admins ADD PRIMARY KEY (name_key, realm, network);
ALTER TABLE admins DROP CONSTRAINT admins_name;
ALTER TABLE admins ADD CONSTRAINT admins_name CHECK (name_key <> '' OR network <> '');
COMMENT ON COLUMN admins.name IS 'As it was written; empty: whoever joins from the network';
COMMENT ON COLUMN admins.network IS 'The role counts only for joins from this address or CIDR network; empty: from anywhere';

CREATE TABLE passwords (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    hash     text NOT NULL,
    set_by   text NOT NULL DEFAULT '',
    set_at   timestamptz NOT NULL
);
CREATE TRIGGER passwords_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON passwords
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();

COMMENT ON TABLE passwords IS 'Admins of the LAN whose role counts only after !login';
COMMENT ON COLUMN passwords.name_key IS 'The name in small letters';
COMMENT ON COLUMN passwords.name IS 'As it was written';
COMMENT ON COLUMN passwords.hash IS 'Argon2id in PHC form, with its salt and parameters';
COMMENT ON COLUMN passwords.set_by IS 'Who set it';
COMMENT ON COLUMN passwords.set_at IS 'When it was set';

CREATE TABLE preferences (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    language text NOT NULL,
    set_at   timestamptz NOT NULL
);

COMMENT ON TABLE preferences IS 'What players have chosen for all games';
COMMENT ON COLUMN preferences.name_key IS 'The name in small letters';
COMMENT ON COLUMN preferences.name IS 'As the player wrote it';
COMMENT ON COLUMN preferences.language IS 'That the host speaks to them: en or zh';
COMMENT ON COLUMN preferences.set_at IS 'When it was chosen';

-- +goose Down
DROP TABLE preferences;
DROP TABLE passwords;
DELETE FROM admins WHERE network <> '';
ALTER TABLE admins DROP CONSTRAINT admins_pkey;
ALTER TABLE admins DROP CONSTRAINT admins_name;
ALTER TABLE admins DROP COLUMN network;
ALTER TABLE admins ADD CONSTRAINT admins_name CHECK (name_key <> '');
ALTER TABLE admins ADD PRIMARY KEY (name_key, realm);
