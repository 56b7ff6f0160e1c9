-- The accounts that get a message of a channel. A volatile function reads what is committed when it is called: a message
-- that waited for the lock of its channel gets the subscribers of that moment, and not those of the start of its statement.
CREATE FUNCTION "channel_audience" ("channel" integer) RETURNS TABLE ("user_id" integer)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
    SELECT s."user_id" FROM "subscriptions" s JOIN "users" u ON u."id" = s."user_id"
    WHERE s."channel_id" = "channel" AND s."is_active" AND u."is_active";
END $$;
