import type { Operation } from '../performance/endpoint-operations.fixture.js';
import type { SeededRandom } from '#test/seeded-random';
import { percentEncoded } from './hostile-values.fixture.js';

export interface HostileBody {
  readonly headers: readonly string[];
  readonly content: Buffer;
}

type Fields = readonly (readonly [string, string])[];

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=edge';

/** The fields of a request in one of the encodings; sometimes the encoding or the framing is broken. */
export function bodyOf(
  random: SeededRandom,
  { isMultipart }: Operation,
  fields: Fields,
): HostileBody {
  const kind = random.next();
  // The gateway allows an upload to stall for a minute, longer than the deadline of the test.
  if (isMultipart)
    return framed(random, [MULTIPART], multipartOf(random, fields, true), WHOLE_FRAMINGS);
  if (kind < 0.5) return framed(random, [FORM], formOf(random, fields));
  if (kind < 0.75) return framed(random, [JSON_TYPE], jsonOf(random, fields));
  if (kind < 0.92) return framed(random, [MULTIPART], multipartOf(random, fields, false));
  const types = [[], ['Content-Type: text/plain'], ['Content-Type: x/y;;='], ['Content-Type: ']];
  return framed(random, random.pick(types), formOf(random, fields));
}

function formOf(random: SeededRandom, fields: Fields): string {
  if (random.next() < 0.02) return '&a'.repeat(Math.floor(random.between(900, 3000)));
  return fields
    .map(([name, value]) =>
      [name, value]
        .map(percentEncoded)
        .map((text) => (random.next() < 0.02 ? `${text}%zz%` : text))
        .join('='),
    )
    .join(random.next() < 0.03 ? '&&=&' : '&');
}

function jsonOf(random: SeededRandom, fields: Fields): string {
  if (random.next() < 0.05)
    return random.pick(['[]', 'null', '"x"', '1', '{"a":', '\ufeff{}', '{}{}', '[[[[']);
  if (random.next() < 0.02) {
    const count = Math.floor(random.between(900, 12_000));
    return JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])),
    );
  }
  const members = fields.map(
    ([name, value]) => `${JSON.stringify(name)}:${memberOf(random, value)}`,
  );
  return `{${members.join(',')}}`;
}

/** A value as JSON if it is valid JSON text, and sometimes also if it is not. */
function memberOf(random: SeededRandom, value: string): string {
  if (random.next() < 0.6) return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return random.next() < 0.1 ? value : JSON.stringify(value);
  }
}

function multipartOf(random: SeededRandom, fields: Fields, takesFile: boolean): string {
  const parts = fields.map(([name, value]) =>
    partOf(`name="${name.replaceAll('"', '%22')}"`, value),
  );
  const files = takesFile || random.next() < 0.2 ? Math.floor(random.between(0, 3)) : 0;
  for (let file = 0; file < files; file += 1) {
    const fileName = random.pick([
      'a.txt',
      '../../x',
      '',
      'a\0b',
      'é'.repeat(300),
      '"; name="other',
    ]);
    const type = random.pick(['text/html', 'image/png', 'a/b\0', '']);
    const content = random.pick([
      '',
      'x',
      '\x89PNG\r\n\x1a\n',
      '<svg onload=alert(1)>',
      'x'.repeat(70_000),
    ]);
    parts.push(partOf(`name="file"; filename="${fileName}"`, content, `Content-Type: ${type}\r\n`));
  }
  const end = random.next() < 0.9 ? '--edge--\r\n' : random.pick(['', '--edge', '--other--\r\n']);
  return parts.join('') + end;
}

const partOf = (disposition: string, content: string, headers = ''): string =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`;

type Framing = readonly [headers: readonly string[], bytes: string];

/** Framings that the server can parse or reject without waiting for more bytes. */
const WHOLE_FRAMINGS: readonly Framing[] = [
  [['Transfer-Encoding: chunked'], 'zz\r\nx\r\n0\r\n\r\n'],
  [['Transfer-Encoding: chunked'], '-1\r\nx\r\n0\r\n\r\n'],
  [['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
  [['Transfer-Encoding: chunked', 'Content-Length: 3'], '0\r\n\r\n'],
  [['Content-Length: 3', 'Content-Length: 4'], 'abcd'],
  [['Content-Length: -1'], ''],
  [['Content-Length: 1e3'], 'abc'],
  [['Content-Length: 99999999999999999999'], 'abc'],
  [['Content-Length: 1'], 'abc'],
];

/** Framings with missing bytes. */
const CUT_FRAMINGS: readonly Framing[] = [
  [['Transfer-Encoding: chunked'], '5\r\nabc'],
  [['Content-Length: 100'], 'abc'],
];

/** Frames a body for HTTP, mostly correctly. */
function framed(
  random: SeededRandom,
  headers: readonly string[],
  text: string,
  framings: readonly Framing[] = [...WHOLE_FRAMINGS, ...CUT_FRAMINGS],
): HostileBody {
  const content = Buffer.from(text);
  const kind = random.next();
  if (kind < 0.88) return { headers: [...headers, `Content-Length: ${content.length}`], content };
  if (kind < 0.93) {
    const chunks = `${content.length.toString(16)}\r\n`;
    const ending = content.length === 0 ? '\r\n' : '\r\n0\r\n\r\n';
    return {
      headers: [...headers, 'Transfer-Encoding: chunked'],
      content: Buffer.concat([Buffer.from(chunks), content, Buffer.from(ending)]),
    };
  }
  const [framing, bytes] = random.pick(framings);
  return { headers: [...headers, ...framing], content: Buffer.from(bytes) };
}
