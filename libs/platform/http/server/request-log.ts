import { Logger } from '@nestjs/common';
import type { OnEnded } from './ended-requests.js';

/** The requests that get an entry: those with a status of 400 or above, or all. */
type LoggedRequests = 'failed' | 'all';

/** Writes an entry for each ended request: its route and never its path, query, headers or bodies. */
export function requestLog(logged: LoggedRequests): OnEnded {
  const logger = new Logger('RequestLog');
  return ({ id, method, route, status, seconds, isComplete, userId }) => {
    if (logged === 'failed' && status < 400) return;
    logger.log({
      message: `${method} ${route} ${status}`,
      method,
      route,
      status,
      duration_ms: Math.round(seconds * 1e6) / 1000,
      request_id: id,
      ...(userId !== null && { user_id: userId }),
      ...(!isComplete && { is_complete: false }),
    });
  };
}
