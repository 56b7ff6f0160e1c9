export { publishActivations } from './activations.js';
export { RealmReplica, type ReplicaNode, modernFragment } from './realm-replica.js';
export { RealmPresence } from './realm-presence.js';
export { RealmRegistry } from './realm-registry.js';
export { RedisMonitor } from './redis-monitor.js';
export { ServedRevisions } from './replica-progress.js';
export { UserDirectoryRepository } from './user-directory.repository.js';
export { UserDirectories, UserDirectory } from './user-directory.js';
