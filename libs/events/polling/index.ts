export { HeldPolls } from './held-polls.js';
export { PollMetrics } from './poll-metrics.js';
export { PollingModule } from './polling.module.js';
