import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';
import { type PresenceReport, reportKinds } from '../state/merge.rules.js';

/**
 * What the scripts and this program pass each other, big-endian: times, user ids and epochs as u32,
 * update ids as u56, and as doubles, which hold them exactly, where memory does not matter. The scripts
 * name the same layouts.
 *
 *   times     form:u8 idle, then what the form names: active or joined, hidden   5 to 13 bytes
 *   entry     id:u56, then times                          a value of the entries hash
 *   change    user epoch previous:u56, then times         the field of a stream entry
 *   report    user kind:u8 active idle joined             17 bytes
 *   restored  user active idle joined hidden deactivated:u8 id:double   29 bytes
 *
 * Most people were last seen active: of those only the idle time is kept. When somebody joined is kept
 * as long as they were never active, which is when it is shown.
 */
const ID_BYTES = 7;
const CHANGE_HEAD_BYTES = 8 + ID_BYTES;
const REPORT_BYTES = 17;
const RESTORED_BYTES = 29;

/** Bits of a form. Without the first two, the active time is the idle time. */
const HAS_ACTIVE = 1;
const HAS_JOINED = 2;
const HAS_HIDDEN = 4;
const IS_DEACTIVATED = 8;

type PackedTimes = Omit<PresenceEntry, 'userId' | 'id'>;

export function readEntry(userId: number, packed: Buffer): PresenceEntry {
  return { userId, ...readTimes(packed, ID_BYTES), id: readId(packed, 0) };
}

export function readChange(id: number, packed: Buffer): PresenceChange {
  return {
    entry: { userId: packed.readUInt32BE(0), ...readTimes(packed, CHANGE_HEAD_BYTES), id },
    epoch: packed.readUInt32BE(4),
    previousId: readId(packed, 8),
  };
}

function readTimes(packed: Buffer, start: number): PackedTimes {
  const form = packed.readUInt8(start);
  const idleAt = packed.readUInt32BE(start + 1);
  const next = start + 5;
  return {
    activeAt: form & HAS_ACTIVE ? packed.readUInt32BE(next) : form & HAS_JOINED ? 0 : idleAt,
    idleAt,
    joinedAt: form & HAS_JOINED ? packed.readUInt32BE(next) : 0,
    hiddenAt: form & HAS_HIDDEN ? packed.readUInt32BE(packed.length - 4) : 0,
    isDeactivated: (form & IS_DEACTIVATED) !== 0,
  };
}

/** Exact, since an id is below 2^53. */
const readId = (packed: Buffer, start: number): number =>
  packed.readUInt8(start) * 2 ** 48 + packed.readUIntBE(start + 1, 6);

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
    packed.writeUInt8(entry.isDeactivated ? 1 : 0, start + 20);
    packed.writeDoubleBE(entry.id, start + 21);
  });
  return packed;
}
