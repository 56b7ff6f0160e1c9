-- Names are compared by this key: NFKC, without characters that show nothing (Default_Ignorable_Code_Point), with single
-- spaces, without regard to case, and with the Latin letter for each Cyrillic and Greek one that looks like it.
CREATE FUNCTION "name_key"("name" text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN btrim(regexp_replace(
  translate(lower(upper(normalize(regexp_replace(
    "name", '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]', '', 'g'
  ), NFKC))), 'авеѕіјкмнорстухԁԛԝһүӏαβεζηικμνορτυχ', 'abesijkmhopctyxdqwhylabezhikmnoptyx'),
  '[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+', ' ', 'g'
));
