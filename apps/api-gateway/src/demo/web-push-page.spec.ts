import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

type Send = (method: string, path: string, fields: object) => Promise<object | null>;

interface Page {
  registerWebPush(publicKey: string, send: Send): Promise<boolean>;
}

const KEY = 'the key of the server';
const PATH = '/users/me/web_push_subscription';

const replaced = new Map<string, PropertyDescriptor | undefined>();
let page: Page;
let worker: EventTarget & { startMessages?: () => void; register?: () => Promise<object> };
let subscribe: jest.Mock<() => Promise<object>>;
let old: { readonly unsubscribe: jest.Mock } | null;

beforeEach(async () => {
  jest.useFakeTimers();
  old = null;
  subscribe = jest.fn(() =>
    Promise.resolve({
      toJSON: () => ({ endpoint: 'https://push', keys: { p256dh: 'p', auth: 'a' } }),
    }),
  );
  const pushManager = { subscribe, getSubscription: () => Promise.resolve(old) };
  worker = new EventTarget();
  worker.startMessages = () => undefined;
  worker.register = () => Promise.resolve({ active: {}, pushManager });
  define('Notification', { requestPermission: () => Promise.resolve('granted') });
  define('navigator', { serviceWorker: worker });
  // A page has no types.
  const file = './public/web-push.js';
  page = (await import(file)) as Page;
});

afterEach(() => {
  jest.useRealTimers();
  for (const [name, property] of replaced) {
    if (property === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, property);
  }
  replaced.clear();
});

/** What a browser has. Files share their globals, and newer versions of Node have a navigator. */
function define(name: string, value: unknown): void {
  replaced.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
  Object.defineProperty(globalThis, name, { configurable: true, value });
}

const push = (data: object) => worker.dispatchEvent(Object.assign(new Event('message'), { data }));

/** The settled result, once this time is over. */
async function after(ms: number, work: Promise<boolean>): Promise<unknown> {
  const settled = work.catch((error: Error) => error.message);
  await jest.advanceTimersByTimeAsync(ms);
  return Promise.race([settled, 'nothing yet']);
}

describe('The demo page in a browser', () => {
  it('returns the token that the worker passes on', async () => {
    const sent: unknown[] = [];
    const send: Send = (...request) => {
      sent.push(request);
      const [, path] = request;
      if (path === PATH) {
        push({ type: 'confirm', subscription_id: 7, confirmation_token: 'token' });
      }
      return Promise.resolve({ state: 'pending' });
    };
    expect(await after(0, page.registerWebPush(KEY, send))).toBe(true);
    expect(sent).toEqual([
      ['POST', PATH, { endpoint: 'https://push', p256dh: 'p', auth: 'a', vapid_public_key: KEY }],
      ['POST', `${PATH}/confirm`, { subscription_id: 7, confirmation_token: 'token' }],
    ]);
  });

  it('says that its push service does not answer', async () => {
    subscribe.mockReturnValue(new Promise(() => undefined));
    const send = jest.fn<Send>();
    expect(await after(20_000, page.registerWebPush(KEY, send))).toBe(
      'The push service of this browser cannot be reached: no answer',
    );
    expect(send).not.toHaveBeenCalled();
  });

  it('says that no push has arrived', async () => {
    const send = jest.fn<Send>(() => Promise.resolve({ state: 'pending' }));
    expect(await after(60_000, page.registerWebPush(KEY, send))).toMatch(/has not got it yet/);
    push({ type: 'confirm' });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('fails when the server refuses, and needs no push when it knows the subscription', async () => {
    expect(
      await after(
        0,
        page.registerWebPush(KEY, () => Promise.resolve(null)),
      ),
    ).toBe(false);
    const active = () => Promise.resolve({ state: 'active' });
    expect(await after(0, page.registerWebPush(KEY, active))).toBe(true);
  });

  it('replaces a subscription with an older key, and keeps it in an outage', async () => {
    old = { unsubscribe: jest.fn() };
    const active = () => Promise.resolve({ state: 'active' });
    subscribe.mockRejectedValueOnce(Object.assign(new Error('other key'), { name: 'AbortError' }));
    expect(await after(0, page.registerWebPush(KEY, active))).toMatch(/: other key$/);
    expect(old.unsubscribe).not.toHaveBeenCalled();
    const error = Object.assign(new Error('other key'), { name: 'InvalidStateError' });
    subscribe.mockRejectedValueOnce(error);
    expect(await after(0, page.registerWebPush(KEY, active))).toBe(true);
    expect(old.unsubscribe).toHaveBeenCalledTimes(1);
  });
});
