import { describe, expect, it } from '@jest/globals';
import type { HealthCheck } from '#platform/core';
import type { FastifyReply } from 'fastify';
import { HealthController } from './health.controller.js';

class RecordingReply {
  code = 0;

  status(code: number): this {
    this.code = code;
    return this;
  }
}

/** Records the status that a controller sets on the response. */
async function ask(sut: HealthController) {
  const reply = new RecordingReply();
  const body = await sut.ready(reply as unknown as FastifyReply);
  return { code: reply.code, body };
}

describe(HealthController.name, () => {
  it('names the failing parts and warnings without their error texts', async () => {
    const check = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
    const sut = new HealthController([
      { name: 'postgresql', check },
      { name: 'presence', isWarning: true, check },
      { name: 'redis', check: () => Promise.resolve() },
    ]);
    expect(await ask(sut)).toEqual({
      code: 503,
      body: {
        status: 'failing',
        failing: { postgresql: 'failing' },
        warnings: { presence: 'warning' },
      },
    });
  });

  it('runs the checks once for all requests within a second', async () => {
    let checks = 0;
    const counted: HealthCheck = {
      name: 'postgresql',
      check: () => {
        checks += 1;
        return Promise.resolve();
      },
    };
    const sut = new HealthController([counted]);
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask(sut)));
    expect(checks).toBe(1);
    expect(replies.at(-1)).toEqual({ code: 200, body: { status: 'ok', failing: {} } });
  });
});
