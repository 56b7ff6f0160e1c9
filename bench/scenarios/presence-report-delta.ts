import { measurePolls } from './presence-poll.js';
import type { Scenario } from './scenario.js';

/**
 * A report with changes: a thousand users poll while others come online, one in 200 requests,
 * so that about five users come online between two polls of one user.
 */
export const presenceReportDelta: Scenario = {
  name: 'presence.report_delta',
  measure: (bench) =>
    measurePolls(bench, {
      name: 'presence.report_delta',
      subdomain: 'delta',
      newcomers: 2000,
      requestsPerNewcomer: 200,
    }),
};
