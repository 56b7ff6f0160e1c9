import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CredentialFault } from '#platform/outbound';
import { WatchedCredentials } from './watched-credentials.js';

describe(WatchedCredentials.name, () => {
  let onDisk: () => Promise<string>;
  let used: string[];
  let sut: WatchedCredentials<string>;
  const loggedErrors = () =>
    jest.mocked(Logger.prototype.error).mock.calls.map(([text]) => String(text));

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    onDisk = async () => 'first';
    used = [];
    sut = new WatchedCredentials(
      {
        name: 'Apple',
        read: () => onDisk(),
        objectionTo: (next) => (next === 'ended' ? 'it has ended' : null),
        warningsOf: (present) => (present === 'old' ? ['it ends soon'] : []),
        use: (next) => void used.push(next),
      },
      'first',
    );
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const fails = (message: string) => () => Promise.reject(new CredentialFault(message));

  it('uses replaced credentials once', async () => {
    await sut.reload();
    expect(used).toEqual([]);
    onDisk = async () => 'second';
    await sut.reload();
    await sut.reload();
    expect(used).toEqual(['second']);
  });

  it('reads once for two concurrent callers', async () => {
    onDisk = jest.fn(async () => 'second');
    await Promise.all([sut.reload(), sut.reload()]);
    expect(onDisk).toHaveBeenCalledTimes(1);
    expect(used).toEqual(['second']);
  });

  it('reports no fault while files are being replaced', async () => {
    onDisk = fails('the key does not belong to the certificate');
    await sut.reload();
    onDisk = async () => 'second';
    await sut.reload();
    expect(loggedErrors()).toEqual([]);
    expect(used).toEqual(['second']);
  });

  it('reports a lasting fault once, keeps the credentials, and reads again', async () => {
    onDisk = fails('no such file');
    for (let look = 0; look < 4; look += 1) await sut.reload();
    expect(loggedErrors()).toEqual([expect.stringContaining('no such file')]);
    expect(sut.warnings).toEqual(['cannot be used: no such file']);
    expect(used).toEqual([]);

    onDisk = fails('expected a private key');
    for (let look = 0; look < 4; look += 1) await sut.reload();
    expect(loggedErrors()).toHaveLength(2);

    onDisk = async () => 'first';
    await sut.reload();
    expect(sut.warnings).toEqual([]);
  });

  it('reports a fault at once on request', async () => {
    onDisk = fails('no such file');
    await sut.reload({ reportsAtOnce: true });
    expect(loggedErrors()).toHaveLength(1);
  });

  it('does not use credentials with an objection', async () => {
    onDisk = async () => 'ended';
    await sut.reload({ reportsAtOnce: true });
    expect(used).toEqual([]);
    expect(sut.warnings).toEqual(['cannot be used: it has ended']);
  });

  it('warns about current credentials', async () => {
    onDisk = async () => 'old';
    await sut.reload();
    expect(sut.warnings).toEqual(['it ends soon']);
  });
});
