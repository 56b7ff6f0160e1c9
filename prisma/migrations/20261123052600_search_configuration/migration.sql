-- The words of messages in their English stems. Without stop words, so that a search for them finds something too.
CREATE TEXT SEARCH DICTIONARY "message_search_stem" (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION "message_search" (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION "message_search"
  ALTER MAPPING FOR asciiword, asciihword, hword_asciipart, word, hword, hword_part WITH "message_search_stem";
