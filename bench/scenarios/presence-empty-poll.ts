import { measurePolls } from './presence-poll.js';
import type { Scenario } from './scenario.js';

/** A report that changes nothing, and an answer without news: most polls of a quiet office. */
export const presenceEmptyPoll: Scenario = {
  name: 'presence.empty_poll',
  measure: (bench) =>
    measurePolls(bench, {
      name: 'presence.empty_poll',
      subdomain: 'quiet',
      newcomers: 0,
      requestsPerNewcomer: 0,
    }),
};
