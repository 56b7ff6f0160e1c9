export { HeldPolls } from './held-polls.js';
export { PollingModule } from './polling.module.js';
