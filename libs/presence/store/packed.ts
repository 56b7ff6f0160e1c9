import { createHash } from 'node:crypto';
import {
  type PresenceChange,
  type PresenceEntry,
  type PresenceReport,
  reportKinds,
} from '#presence/rules';

/**
 * The binary layouts that the scripts and this program exchange, big-endian. Times, user ids and chains are u32. Update
 * ids are u56, or doubles where memory does not matter; doubles hold them exactly. The scripts use the same layouts.
 *
 *   times     form:u8 idle, then the fields that the form names: active or joined, hidden   5 to 13 bytes
 *   entry     id:u56, then times                          a value of the entries hash
 *   change    user previousChain previous:u56, then times the field of a stream entry
 *   report    user kind:u8 active idle joined             17 bytes
 *   restored  user active idle joined hidden deactivated:u8 id:double   29 bytes
 *
 * Most users were active when they were last seen; for them only the idle time is stored. The joining time is stored only
 * for users who were never active, since it is shown only for them.
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

/** Reads an `entry`. */
export function readEntry(userId: number, packed: Buffer): PresenceEntry {
  return { userId, ...readTimes(packed, ID_BYTES), id: readId(packed, 0) };
}

/** Reads a `change`. Its chain is the first 32 bits of the SHA-1 of the packed change and its update id. */
export function readChange(id: number, packed: Buffer): PresenceChange {
  return {
    entry: { userId: packed.readUInt32BE(0), ...readTimes(packed, CHANGE_HEAD_BYTES), id },
    previousId: readId(packed, 8),
    previousChain: packed.readUInt32BE(4),
    chain: createHash('sha1').update(packed).update(String(id)).digest().readUInt32BE(0),
  };
}

/** Numbers per change in the result of `report.lua`. */
const NUMBERS_PER_CHANGE = 8;

/** The changes in the result of `report.lua`; `first` is what the first one continues. */
export function readChanges(
  first: Pick<PresenceChange, 'previousId' | 'previousChain'>,
  numbers: readonly number[],
): PresenceChange[] {
  const changes: PresenceChange[] = [];
  let { previousId, previousChain } = first;
  for (let start = 0; start < numbers.length; start += NUMBERS_PER_CHANGE) {
    const [
      userId = 0,
      activeAt = 0,
      idleAt = 0,
      joinedAt = 0,
      hiddenAt = 0,
      deactivated = 0,
      id = 0,
      chain = 0,
    ] = numbers.slice(start, start + NUMBERS_PER_CHANGE);
    const isDeactivated = deactivated === 1;
    changes.push({
      entry: { userId, activeAt, idleAt, joinedAt, hiddenAt, isDeactivated, id },
      previousId,
      previousChain,
      chain,
    });
    previousId = id;
    previousChain = chain;
  }
  return changes;
}

function readTimes(packed: Buffer, start: number): Omit<PresenceEntry, 'userId' | 'id'> {
  const form = packed.readUInt8(start);
  const idleAt = packed.readUInt32BE(start + 1);
  let activeAt = idleAt;
  let joinedAt = 0;
  if (form & HAS_ACTIVE) activeAt = packed.readUInt32BE(start + 5);
  else if (form & HAS_JOINED) {
    activeAt = 0;
    joinedAt = packed.readUInt32BE(start + 5);
  }
  const hiddenAt = form & HAS_HIDDEN ? packed.readUInt32BE(packed.length - 4) : 0;
  return { activeAt, idleAt, joinedAt, hiddenAt, isDeactivated: (form & IS_DEACTIVATED) !== 0 };
}

/** Exact, since an id is below 2^53. */
const readId = (packed: Buffer, start: number): number =>
  packed.readUInt8(start) * 2 ** 48 + packed.readUIntBE(start + 1, 6);

/** Packs reports one after another, 17 bytes each. */
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

/** Packs entries as `restored` one after another, 29 bytes each. */
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
