import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ApiError, requestErrors, signInErrors } from '#platform/contracts';
import { Metrics } from '#platform/telemetry';
import { LimitedServers } from './limited-servers.js';

const server = { uuid: '6f9619ff-8b86-4011-b42d-00cf4fc964ff' };

describe(LimitedServers.name, () => {
  let metrics: Metrics;
  let sut: LimitedServers;

  let warn: jest.SpiedFunction<Logger['warn']>;

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    metrics = new Metrics();
    sut = new LimitedServers(metrics);
  });

  afterEach(() => {
    warn.mockRestore();
  });

  const countOf = async (limit: string) =>
    (await metrics.read())
      .split('\n')
      .find((line) => line.startsWith(`carillon_push_service_limited_total{limit="${limit}"}`))
      ?.split(' ')
      .at(-1);

  it('counts refusals by limits, and no other failures', async () => {
    const refused = new ApiError(requestErrors.rateLimited, { 'retry-after': 1 });
    const other = new ApiError(signInErrors.invalidApiKey);
    await sut.watch(server, 'pushes', Promise.resolve());
    await expect(sut.watch(server, 'pushes', Promise.reject(other))).rejects.toBe(other);
    expect(await countOf('pushes')).toBe('0');
    await expect(sut.watch(server, 'pushes', Promise.reject(refused))).rejects.toBe(refused);
    expect(await countOf('pushes')).toBe('1');
    expect(await countOf('requests')).toBe('0');
  });

  it('names a server once a minute in the log', () => {
    for (let count = 0; count < 3; count += 1) sut.note(server, 'devices');
    sut.note(server, 'requests');
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      `Server ${server.uuid} is refused: limit of devices`,
      `Server ${server.uuid} is refused: limit of requests`,
    ]);
  });
});
