/** The newest release whose programs may use the objects. */
export const LAST_RELEASE_WITH_USES = '0.1.0';

/**
 * Objects of the database that no program uses any more: tables, columns, views, triggers and indexes. They stay while the
 * release above may run beside the programs. The release after the next drops them.
 */
export const unusedObjects: readonly string[] = [
  'user_activity',
  'push_service_uploads.digest',
  'user_group_direct_members',
  'attachments_unclaimed_idx',
  'users_realm_id_lower_full_name_idx',
  'channels_realm_id_lower_name_idx',
  'user_groups_realm_id_lower_name_idx',
  // With their functions. They complete rows of statements that do not name all columns.
  'push_notifications_realm',
  'push_deliveries_realm',
  'push_dead_letters_copy',
];
