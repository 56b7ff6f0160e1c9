import { constants } from 'node:http2';
import { FakeSession, type FakeStream } from './fake-session.fixture.js';
import type { Http2Outcome } from './http2-exchange.js';
import { Http2Pool } from './http2-pool.js';

export const DEADLINE_MS = 8000;
export const MAX_CONNECTIONS = 3;

/** For tests: a pool, its fake sessions, and its requests, whose ids are their places. */
export class PoolUnderTest {
  readonly sessions: FakeSession[] = [];
  readonly outcomes = new Map<number, Http2Outcome>();
  /** The ids of the requests that the other side has answered. */
  readonly processed: number[] = [];
  /** The ids of the requests whose stream was opened after their withdrawal. */
  readonly sentAfterWithdrawal: number[] = [];
  requested = 0;
  lateMs = 0;
  answersPings = true;
  readonly #withdrawn = new Set<number>();

  readonly pool = new Http2Pool({
    name: 'Test',
    maxConnections: MAX_CONNECTIONS,
    connectTimeoutMs: 2000,
    retiresConnection: ({ status }) => status === 421,
    open: () => {
      const session = new FakeSession();
      session.answersPings = this.answersPings;
      session.onStream = (stream) => {
        const id = idOf(stream);
        if (this.#withdrawn.has(id)) this.sentAfterWithdrawal.push(id);
      };
      this.sessions.push(session);
      return session.opened;
    },
  });

  request(): void {
    const id = this.requested;
    this.requested += 1;
    const request = { headers: { id }, body: '', isWithdrawn: () => this.#withdrawn.has(id) };
    void this.pool.request(request, DEADLINE_MS, this.lateMs).then((outcome) => {
      this.outcomes.set(id, outcome);
    });
  }

  withdraw(id: number): void {
    this.#withdrawn.add(id);
  }

  /** The ids of the requests without an outcome. */
  get unsettled(): number[] {
    return Array.from({ length: this.requested }, (_, id) => id).filter(
      (id) => !this.outcomes.has(id),
    );
  }

  /** Throws for a session that does not exist. */
  session(index: number): FakeSession {
    const session = this.sessions[index];
    if (session === undefined) throw new Error(`There is no session ${index}`);
    return session;
  }

  get open(): FakeStream[] {
    return this.sessions.flatMap(({ open }) => open);
  }

  /** Answers the first open stream of all sessions, or of one. Throws without one. */
  answerFirst({ open }: { readonly open: readonly FakeStream[] } = this, status = 200): void {
    const [stream] = open;
    if (stream === undefined) throw new Error('There is no open stream');
    this.answer(stream, status);
  }

  answer(stream: FakeStream, status = 200): void {
    this.processed.push(idOf(stream));
    stream.answer(status);
  }

  /** How often each request was sent without a refusal of its stream. */
  get triesThatCount(): number[] {
    const counts = Array.from({ length: this.requested }, () => 0);
    for (const stream of this.sessions.flatMap(({ streams }) => streams)) {
      const id = idOf(stream);
      if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) counts[id] = (counts[id] ?? 0) + 1;
    }
    return counts;
  }
}

const idOf = ({ headers }: FakeStream): number => Number(headers['id']);
