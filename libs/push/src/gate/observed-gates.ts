import { Injectable } from '@nestjs/common';
import type { GateStatus, GateStatuses, PruneAlarm } from '../observe/gate-statuses.js';
import { Gates } from './gates.js';
import { gateName } from './provider-gate.js';
import { PruneWatch } from './prune-watch.js';

/** In the words of who reads reports and not of who builds circuits: a closed breaker is an open gate. */
const gateStates = { closed: 'open', open: 'shut', half_open: 'probing' } as const;

/** What reports and pages show of the gates and of the watch over the removal of tokens. */
@Injectable()
export class ObservedGates implements GateStatuses {
  constructor(
    private readonly gates: Gates,
    private readonly pruneWatch: PruneWatch,
  ) {}

  all(): readonly GateStatus[] {
    return this.gates
      .statuses()
      .map(({ platform, credential, state, cause, reason, since, reopensAt }) => ({
        key: gateName({ platform, credential, topic: null }),
        platform,
        state: gateStates[state],
        cause,
        reason,
        since,
        reopensAt,
      }));
  }

  alarms(): readonly PruneAlarm[] {
    return this.pruneWatch.alarms.map(({ platform, appId, since, dead, answers }) => ({
      key: appId === null ? platform : `${platform}:${appId}`,
      platform,
      since,
      dead,
      answers,
    }));
  }
}
