import { describe, expect, it } from '@jest/globals';
import type { JobName } from '#contracts';
import { handlerTable } from './handler-table.rules.js';

const handlerOf = (jobName: JobName) => ({ jobName, handle: () => Promise.resolve({}) });

describe(handlerTable.name, () => {
  it('joins each job name to its handler', () => {
    const deliver = handlerOf('notification.deliver');
    const logout = handlerOf('account.logout');
    const table = handlerTable(['push-apns', 'push-fcm', 'push-control'], [deliver, logout]);
    expect(table.get('notification.deliver')).toBe(deliver);
    expect(table.get('account.logout')).toBe(logout);
  });

  it('refuses a job name without a handler', () => {
    expect(() => handlerTable(['push-control'], [])).toThrow('No handler for account.logout');
  });

  it('refuses two handlers for one name', () => {
    const twice = [handlerOf('account.logout'), handlerOf('account.logout')];
    expect(() => handlerTable(['push-control'], twice)).toThrow('Two handlers for account.logout');
  });

  it('refuses a handler whose jobs cannot come', () => {
    const handlers = [handlerOf('account.logout'), handlerOf('notification.deliver')];
    expect(() => handlerTable(['push-control'], handlers)).toThrow('is in no queue');
  });
});
