export { ModerationModule } from './moderation.module.js';
export { ReportMessage } from './report-message.js';
export { reportTypes } from './report-types.js';
