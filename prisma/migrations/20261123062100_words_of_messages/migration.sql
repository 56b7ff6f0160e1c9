-- The words of a message with its topic. PostgreSQL takes to_tsvector for a cheap function and would rather compute it
-- for many messages than use the index; and it skips what it takes for a tag, so the topic is without such characters.
CREATE FUNCTION "message_words" ("topic" text, "html" text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 4000 AS $$
BEGIN
  RETURN to_tsvector('public.message_search', translate(topic, '<>', '  ') || ' ' || html);
END $$;
