export { differenceText, settingDifferences, wrongClocks } from './setting-differences.rules.js';
export { SettingsComparison } from './settings-comparison.js';
export { type SettingsReport, SettingsReportStore } from './settings-report.js';
export { SharedSettingsModule } from './shared-settings.module.js';
