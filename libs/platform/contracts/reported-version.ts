/**
 * The version that this server reports to clients. Clients choose their behaviour by the level: it counts the changes of
 * the API whose contract Carillon keeps. The two texts name the release of that contract; clients only show them. They are
 * not the version of Carillon itself.
 *
 * `GET /server_settings` and `POST /register` report it. Raise the level only together with the behaviour:
 * `test/walls/levels.tsv` lists what each level changes, with its test.
 */
export const reportedVersion = {
  zulip_version: '12.0',
  zulip_merge_base: '12.0',
  zulip_feature_level: 512,
} as const;
