import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';
import { type PresenceReport, reportKinds } from '../state/merge.rules.js';

/**
 * What the scripts and this program pass each other, big-endian: times and user ids and epochs as u32,
 * update ids as doubles, which hold them exactly. The scripts name the same layouts.
 *
 *   entry     active idle joined hidden id          24 bytes, a value of the entries hash
 *   change    user active idle joined hidden epoch previous   32 bytes, the field of a stream entry
 *   report    user kind:u8 active idle joined       17 bytes
 *   restored  user, then an entry                   28 bytes
 */
const ENTRY_BYTES = 24;
const REPORT_BYTES = 17;
const RESTORED_BYTES = 4 + ENTRY_BYTES;

export function readEntry(userId: number, packed: Buffer): PresenceEntry {
  return {
    userId,
    activeAt: packed.readUInt32BE(0),
    idleAt: packed.readUInt32BE(4),
    joinedAt: packed.readUInt32BE(8),
    hiddenAt: packed.readUInt32BE(12),
    id: packed.readDoubleBE(16),
  };
}

export function readChange(id: number, packed: Buffer): PresenceChange {
  return {
    entry: {
      userId: packed.readUInt32BE(0),
      activeAt: packed.readUInt32BE(4),
      idleAt: packed.readUInt32BE(8),
      joinedAt: packed.readUInt32BE(12),
      hiddenAt: packed.readUInt32BE(16),
      id,
    },
    epoch: packed.readUInt32BE(20),
    previousId: packed.readDoubleBE(24),
  };
}

export function packReports(reports: readonly PresenceReport[]): Buffer {
  const packed = Buffer.allocUnsafe(reports.length * REPORT_BYTES);
  reports.forEach((report, index) => {
    const start = index * REPORT_BYTES;
    packed.writeUInt32BE(report.userId, start);
    packed.writeUInt8(reportKinds.indexOf(report.kind), start + 4);
    packed.writeUInt32BE(report.activeAt, start + 5);
    packed.writeUInt32BE(report.idleAt, start + 9);
    packed.writeUInt32BE(report.joinedAt, start + 13);
  });
  return packed;
}

export function packRestored(entries: readonly PresenceEntry[]): Buffer {
  const packed = Buffer.allocUnsafe(entries.length * RESTORED_BYTES);
  entries.forEach((entry, index) => {
    const start = index * RESTORED_BYTES;
    packed.writeUInt32BE(entry.userId, start);
    packed.writeUInt32BE(entry.activeAt, start + 4);
    packed.writeUInt32BE(entry.idleAt, start + 8);
    packed.writeUInt32BE(entry.joinedAt, start + 12);
    packed.writeUInt32BE(entry.hiddenAt, start + 16);
    packed.writeDoubleBE(entry.id, start + 20);
  });
  return packed;
}
