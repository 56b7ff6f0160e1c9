import { describe, expect, it } from '@jest/globals';
import { readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { EventClient } from '#test/event-client';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { z } from 'zod';

const emojiData = z.strictObject({
  code_to_names: z.record(
    z.string().regex(/^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/),
    z.array(z.string().regex(/^[0-9a-z_+-]+$/)).min(1),
  ),
});

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const person = useFixture(() => organisation.addPerson());

/** The path of the file that a registration names. */
async function currentPath(): Promise<string> {
  const { state } = await EventClient.register(person.api, { fetch_event_types: ['realm'] });
  // The host of an organisation of a test is valid for no parser of URLs.
  return String(state['server_emoji_data_url']).replace(/^https?:\/\/[^/]+/, '');
}

/** Asks without a sign-in. */
const fetchFile = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${system.gatewayUrl}${path}`, { headers });

async function readNames(path: string) {
  const reply = await fetchFile(path);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/json');
  return emojiData.parse(await reply.json()).code_to_names;
}

describe('the emoji data', () => {
  it('has the names of each emoji, the usual one first', async () => {
    const names = await readNames(await currentPath());
    const unicode = new UnicodeEmoji(readEmojiNames());
    expect(Object.keys(names).length).toBeGreaterThan(1500);
    for (const [code, own] of Object.entries(names)) {
      expect(own.filter((name) => unicode.codeOf(name) !== code)).toEqual([]);
    }
    expect(names['1f604']).toEqual(expect.arrayContaining(['smile', 'big_smile']));
    expect(names['263a']).not.toContain('smile');
    expect(names['1f44d']?.[0]).toBe('+1');
  });

  it('has each emoji once, without its skin tones', async () => {
    const names = await readNames(await currentPath());
    expect(names['1f44d-1f3fd']).toBeUndefined();
    expect(names['1f3fd']).toBeUndefined();
    expect(names['1f3f3-200d-1f308']).toContain('rainbow_flag');
  });

  it('may be cached under its own name only', async () => {
    const current = await fetchFile(await currentPath());
    expect(current.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const other = await fetchFile('/static/emoji/emoji-0123456789abcdef.json');
    expect(other.status).toBe(200);
    expect(other.headers.get('cache-control')).toBe('no-cache');
    expect(await other.text()).toBe(await current.text());
  });

  it('returns a part', async () => {
    const path = await currentPath();
    const whole = await (await fetchFile(path)).text();
    const part = await fetchFile(path, { Range: 'bytes=2-9' });
    expect(part.status).toBe(206);
    expect(await part.text()).toBe(whole.slice(2, 10));
  });

  it.each(['emoji.json', 'emoji-0123.json', 'emoji-0123456789abcdef.js', 'x'.repeat(200)])(
    'does not exist under the name %s',
    async (name) => {
      expect((await fetchFile(`/static/emoji/${name}`)).status).toBe(404);
    },
  );
});
