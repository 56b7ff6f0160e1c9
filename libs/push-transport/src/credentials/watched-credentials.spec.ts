import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CredentialFault } from './credential-fault.js';
import { WatchedCredentials } from './watched-credentials.js';

describe(WatchedCredentials.name, () => {
  let onDisk: () => Promise<string>;
  let used: string[];
  let sut: WatchedCredentials<string>;
  const told = () => jest.mocked(Logger.prototype.error).mock.calls.map(([text]) => String(text));

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

  it('uses what has changed, once', async () => {
    await sut.reload();
    expect(used).toEqual([]);
    onDisk = async () => 'second';
    await sut.reload();
    await sut.reload();
    expect(used).toEqual(['second']);
  });

  it('looks once for two who ask at the same time', async () => {
    onDisk = jest.fn(async () => 'second');
    await Promise.all([sut.reload(), sut.reload()]);
    expect(onDisk).toHaveBeenCalledTimes(1);
    expect(used).toEqual(['second']);
  });

  it('says nothing of files that are being replaced', async () => {
    onDisk = fails('the key does not belong to the certificate');
    await sut.reload();
    onDisk = async () => 'second';
    await sut.reload();
    expect(told()).toEqual([]);
    expect(used).toEqual(['second']);
  });

  it('says once what stays wrong, keeps the credentials, and goes on looking', async () => {
    onDisk = fails('no such file');
    for (let look = 0; look < 4; look += 1) await sut.reload();
    expect(told()).toEqual([expect.stringContaining('no such file')]);
    expect(sut.warnings).toEqual(['cannot be used: no such file']);
    expect(used).toEqual([]);

    onDisk = fails('expected a private key');
    for (let look = 0; look < 4; look += 1) await sut.reload();
    expect(told()).toHaveLength(2);

    onDisk = async () => 'first';
    await sut.reload();
    expect(sut.warnings).toEqual([]);
  });

  it('says at once what is wrong to a person who asks', async () => {
    onDisk = fails('no such file');
    await sut.reload(true);
    expect(told()).toHaveLength(1);
  });

  it('does not use what there is an objection to', async () => {
    onDisk = async () => 'ended';
    await sut.reload(true);
    expect(used).toEqual([]);
    expect(sut.warnings).toEqual(['cannot be used: it has ended']);
  });

  it('warns of what is in use', async () => {
    onDisk = async () => 'old';
    await sut.reload();
    expect(sut.warnings).toEqual(['it ends soon']);
  });
});
