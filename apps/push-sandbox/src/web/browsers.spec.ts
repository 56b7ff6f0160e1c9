import { describe, expect, it } from '@jest/globals';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import type { Attempt } from '../inbox/delivery.js';
import { EncryptedPhones } from '../inbox/encrypted-phones.js';
import { Browsers } from './browsers.js';

const NOW = Date.now();

const attempt = (token: string, identity: string): Attempt => ({
  platform: 'web',
  token,
  topic: null,
  headers: { topic: identity },
  payload: { bytes: 300 },
  decrypted: { type: 'test', realm_name: identity },
  identity,
});

function browserThatIsOff() {
  const deliveries = new DeliveriesStore(new EncryptedPhones());
  const settings = { config: { publicHost: '127.0.0.1', webPort: 9996 } } as never;
  const sut = new Browsers(settings, deliveries);
  const { token, endpoint } = sut.add(null);
  sut.switch(token, false, new Date(NOW));
  const browser = sut.find(token);
  if (browser === undefined) throw new Error('There is no browser');
  const keep = (topic: string, seconds: number, identity = topic) =>
    sut.keep(browser, topic, {
      attempt: attempt(token, identity),
      status: 201,
      endsAt: NOW + seconds * 1000,
    });
  const shown = () =>
    deliveries
      .list({})
      .map((json) => JSON.parse(json) as { shown: boolean; headers: { topic: string } })
      .filter((delivery) => delivery.shown)
      .map(({ headers }) => headers.topic);
  return { sut, token, endpoint, keep, shown };
}

describe(Browsers.name, () => {
  it('gives out endpoints with a name', () => {
    expect(browserThatIsOff().endpoint).toMatch(/^https:\/\/localhost:9996\/wpush\/v1\/[\w-]{32}$/);
  });

  it('hands over what is kept, the last one of each topic, once', () => {
    const { sut, token, keep, shown } = browserThatIsOff();
    keep('a', 60, 'first');
    keep('a', 60, 'second');
    keep('b', 60);
    keep('', 60, 'c');
    keep('', 60, 'd');
    sut.switch(token, true, new Date(NOW));
    sut.switch(token, true, new Date(NOW));
    expect(shown()).toEqual(['second', 'b', 'c', 'd']);
  });

  it('drops what has ended', () => {
    const { sut, token, keep, shown } = browserThatIsOff();
    keep('a', 1);
    keep('b', 3);
    sut.switch(token, true, new Date(NOW + 1000));
    expect(shown()).toEqual(['b']);
  });
});
