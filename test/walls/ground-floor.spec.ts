import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../libs/platform/', import.meta.url);

/** `config` declares the variables of all programs; the rest of the platform has no source that names a capability. */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) =>
    path.endsWith('.ts') &&
    !/[.-]spec\.ts$|\.fixture\.ts$|^config\/|^database\/generated\//.test(path),
);

/** Types, constants and quoted names of presence and push, and roles. `push` as the method of a list is no such name. */
const NAMES_ABOVE =
  /(?<!is)Presence(?!Disabled|Enabled)|\bpresence|PRESENCE_|Push[A-Z]|PUSH_|['`]push-|\b(?:apns|fcm)\b|\broles\b|[aA]dministrator|[mM]oderator|[gG]uest/;

/** Texts for people. */
const exceptions = [/^http\/openapi\/openapi-document\.ts: .*The API of a team chat/];

/** A source without its comments. */
const codeOf = (path: string): string =>
  readFileSync(new URL(path, root), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

const namedIn = (code: string): string[] =>
  code.split('\n').filter((line) => NAMES_ABOVE.test(line.replaceAll(/ \/\/ .*$/g, '')));

describe('the platform', () => {
  it('finds names of presence and push, and roles', () => {
    const named = [
      "queue: 'push-apns'",
      'interface PresenceRequest {',
      'class PushQueues {',
      'role >= roles.guest',
    ];
    expect(namedIn(named.join('\n'))).toEqual(named);
    expect(namedIn('list.push(item);\nisPresenceEnabled: boolean;\nrole: number;')).toEqual([]);
  });

  it('names neither presence nor push nor roles outside its configuration', () => {
    const named = sources.flatMap((path) =>
      namedIn(codeOf(path)).map((line) => `${path}: ${line}`),
    );
    const unknown = named.filter((line) => !exceptions.some((one) => one.test(line)));
    expect(unknown).toEqual([]);
  });
});
