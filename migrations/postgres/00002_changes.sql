-- +goose Up
-- Every change of bans and admins, by whatever program, is told to all hosts.
-- +goose StatementBegin
CREATE FUNCTION w3host_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('w3host_changed', TG_TABLE_NAME);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER bans_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON bans
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();
CREATE TRIGGER admins_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON admins
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();

-- +goose Down
DROP TRIGGER admins_changed ON admins;
DROP TRIGGER bans_changed ON bans;
DROP FUNCTION w3host_changed();
