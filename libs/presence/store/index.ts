export { ChangeFollower } from './change-follower.js';
export { keysOf, shardOf, shards } from './presence-keys.js';
export {
  PresenceStore,
  type RealmSnapshot,
  type ReportOutcome,
  RESTORE_LEASE_MS,
  type RestoreOutcome,
} from './presence.store.js';
