import { groupBy, isWithinClockTolerance, shortList } from '#platform/core';
import { clockText } from './clock.rules.js';
import type { SettingsReport } from './settings-report.js';

/** A setting that programs do not share, and those programs by their values. */
interface SettingDifference {
  readonly setting: string;
  /** The programs with the same value are in one group. */
  readonly groups: readonly (readonly SettingsReport[])[];
}

/** The settings whose values differ between programs; of each setting only the programs that know it count. */
export function settingDifferences(reports: readonly SettingsReport[]): SettingDifference[] {
  const settings = new Set(reports.flatMap((report) => Object.keys(report.settings)));
  return [...settings]
    .toSorted()
    .map((setting) => {
      const knowing = reports.filter((report) => setting in report.settings);
      const byValue = groupBy(knowing, (report) => report.settings[setting] ?? '');
      return { setting, groups: [...byValue.values()] };
    })
    .filter(({ groups }) => groups.length > 1);
}

const MAX_NAMED = 3;

/** Names the setting and, in alphabetical order, some programs of each value, without the values. */
export function differenceText({ setting, groups }: SettingDifference): string {
  return `${setting} differs: ${groups.map(programsOf).toSorted().join('; ')}`;
}

function programsOf(reports: readonly SettingsReport[]): string {
  const names = reports.map(programName);
  return shortList(names.toSorted(), MAX_NAMED);
}

/** Names a program for operators. */
const programName = ({ program, release, host, pid }: SettingsReport): string =>
  `${program} ${release} on ${host} (${pid})`;

/** Names each program whose clock is wrong, in alphabetical order. */
export const wrongClocks = (reports: readonly SettingsReport[]): string[] =>
  reports
    .filter(({ clockAheadMs }) => !isWithinClockTolerance(clockAheadMs))
    .map((report) => `${programName(report)}: ${clockText(report.clockAheadMs)}`)
    .toSorted();
