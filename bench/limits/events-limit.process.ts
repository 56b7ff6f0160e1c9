import { parse } from 'node:querystring';
import { answerParent } from '../processes/answer-parent.js';
import { BareSignIn } from './bare-sign-in.js';
import { serveBare } from './bare-server.js';
import type { EventsLimitPlan } from './events-limit.js';

const SUCCESS = '{"result":"success","msg":""}';

answerParent(async ({ users, state }: EventsLimitPlan) => {
  const signIn = new BareSignIn(users);
  const held = new Map<string, (answer: string) => void>();
  let lastId = 0;
  let event = '';

  const answerTo = (queueId: string) =>
    `{"result":"success","msg":"","events":[${event}],"queue_id":"${queueId}"}`;

  return serveBare(async (request, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://limit');
    if (pathname === '/metrics') return `carillon_events_held_polls ${held.size}\n`;
    const userId = signIn.userOf(request.headers.authorization);
    if (pathname === '/api/v1/events') {
      const queueId = searchParams.get('queue_id') ?? '';
      if (Number(searchParams.get('last_event_id')) < lastId) return answerTo(queueId);
      return new Promise<string>((resolve) => held.set(queueId, resolve));
    }
    const form = parse(body);
    if (pathname === '/api/v1/register') {
      const isQueueOnly = form['fetch_event_types'] === '[]';
      const queue = `"queue_id":"queue${userId}","last_event_id":${lastId}`;
      return isQueueOnly ? `{"result":"success","msg":"",${queue}}` : state;
    }
    lastId += 65_536;
    const text = JSON.stringify(form['status_text']);
    event = `{"type":"user_status","user_id":${userId},"status_text":${text},"id":${lastId}}`;
    const waiting = [...held];
    held.clear();
    for (const [queueId, resolve] of waiting) resolve(answerTo(queueId));
    return SUCCESS;
  });
});
