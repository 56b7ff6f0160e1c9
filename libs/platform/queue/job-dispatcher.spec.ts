import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { handlerTable, JobDispatcher, type JobHandler } from './job-dispatcher.js';
import { letterJobs } from './letter-jobs.fixture.js';

const handlerOf = (jobName: string) => ({ jobName, handle: () => Promise.resolve({}) });

describe(handlerTable.name, () => {
  it('maps each job name to its handler', () => {
    const names = Object.keys(letterJobs.payloads).toReversed();
    const handlers = names.map(handlerOf);
    const table = handlerTable(letterJobs, ['letters', 'parcels', 'office'], handlers);
    for (const handler of handlers) expect(table.get(handler.jobName)).toBe(handler);
  });

  it('rejects a job name without a handler', () => {
    expect(() => handlerTable(letterJobs, ['office'], [])).toThrow('No handler for address.forget');
  });

  it('rejects two handlers for one name', () => {
    const twice = [handlerOf('address.forget'), handlerOf('address.forget')];
    expect(() => handlerTable(letterJobs, ['office'], twice)).toThrow(
      'Two handlers for address.forget',
    );
  });

  it('rejects a handler for jobs of other queues', () => {
    const handlers = [handlerOf('address.forget'), handlerOf('letter.deliver')];
    expect(() => handlerTable(letterJobs, ['office'], handlers)).toThrow('is in no queue');
  });
});

const payload = { v: 1 as const, id: 7 };
const context = { queue: 'office', jobId: 'outbox-1' } as const;

const dropped: string[] = [];

const dispatcherWith = (handle: JobHandler['handle']): JobDispatcher => {
  const handler: JobHandler = { jobName: 'address.forget', handle };
  return new JobDispatcher(letterJobs.payloads, new Map([['address.forget', handler]]), {
    recordDropped: (source) => void dropped.push(source),
  });
};

let error: ReturnType<typeof jest.spyOn>;
let warn: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
});

afterEach(() => {
  error.mockRestore();
  warn.mockRestore();
});

describe(JobDispatcher.name, () => {
  it('passes the parsed payload to the handler of the name', async () => {
    const handle = jest.fn<JobHandler['handle']>().mockResolvedValue({ retryAt: 7 });
    const sut = dispatcherWith(handle);
    const job = { name: 'address.forget', data: { ...payload, extra: 1 }, starts: 1 };
    expect(await sut.dispatch(job, context)).toEqual({ retryAt: 7 });
    expect(handle).toHaveBeenCalledWith(payload, context);
  });

  it.each([
    ['of an unknown name', { name: 'constructor', data: payload, starts: 1 }],
    ['of an unknown version', { name: 'address.forget', data: { ...payload, v: 2 }, starts: 1 }],
    ['without a payload', { name: 'address.forget', data: undefined, starts: 1 }],
  ])('drops a job %s, and reports it', async (_what, job) => {
    dropped.length = 0;
    const handle = jest.fn<JobHandler['handle']>().mockResolvedValue({});
    expect(await dispatcherWith(handle).dispatch(job, context)).toEqual({});
    expect(handle).not.toHaveBeenCalled();
    expect(dropped).toEqual(['office']);
  });

  it('retries a failed job without a limit and with growing delays', async () => {
    const sut = dispatcherWith(() => Promise.reject(new Error('no database')));
    const delayAfter = async (starts: number): Promise<number> => {
      const job = { name: 'address.forget', data: payload, starts };
      const { retryAt = 0 } = await sut.dispatch(job, context);
      return Math.round((retryAt - Date.now()) / 1000);
    };
    expect(await delayAfter(1)).toBe(1);
    expect(await delayAfter(4)).toBe(8);
    expect(await delayAfter(5000)).toBe(60);
  });

  const failsWith = async (failure: Error, times: number): Promise<void> => {
    const sut = dispatcherWith(() => Promise.reject(failure));
    const job = { name: 'address.forget', data: payload, starts: 1 };
    for (let run = 0; run < times; run += 1) await sut.dispatch(job, context);
  };

  it('logs every job that fails through a defect, with its id', async () => {
    await failsWith(new TypeError('x is not a function'), 2);
    expect(error).toHaveBeenCalledTimes(2);
    expect(error).toHaveBeenCalledWith(
      'address.forget outbox-1 failed, retry in 1000 ms: x is not a function',
    );
    expect(warn).not.toHaveBeenCalled();
  });

  it('logs the outage of a store once, and not for each job', async () => {
    await failsWith(new Error('timeout exceeded when trying to connect'), 3);
    expect(error).not.toHaveBeenCalled();
    expect(warn.mock.calls).toEqual([
      [
        'A store failed for 1 job since the last entry. They are retried: PostgreSQL: timeout exceeded when trying to connect',
      ],
    ]);
  });
});
