import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { picturePath } from '#chat/emoji-names';
import { pictureKey, pictureNamed, pictureOf } from './emoji-picture.rules.js';

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

const png = bytes('iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAAElFTkSuQmCC');
const gif = bytes('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7');
const webp = bytes('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==');
const jpg = Buffer.concat([
  bytes('/9j/4AAQSkZJRgABAQAAAQABAAD/'),
  Buffer.from([0xc0, 0, 17, 8, 0, 5, 0, 4, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]),
  bytes('/9k='),
]);

describe(pictureOf.name, () => {
  it.each([
    ['png', png, 2, 3],
    ['gif', gif, 1, 1],
    ['webp', webp, 1, 1],
    ['jpg', jpg, 4, 5],
  ] as const)('reads the format and size of a %s', (format, file, width, height) => {
    expect(pictureOf(file)).toEqual({ format, width, height });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('not a picture')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>')],
    ['BMP', bytes('Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAA=')],
    ['a truncated PNG', png.subarray(0, 14)],
    ['a truncated GIF', gif.subarray(0, 8)],
    ['a truncated WebP', webp.subarray(0, 14)],
    ['a JPEG without a size', Buffer.concat([bytes('/9j/'), Buffer.alloc(300_000)])],
    ['a PNG without width', Buffer.concat([png.subarray(0, 16), Buffer.alloc(20)])],
  ])('returns null for %s', (_what, file) => {
    expect(pictureOf(file)).toBeNull();
  });

  it('throws for no input', () => {
    const heads = fc.constantFrom(png, gif, webp, jpg);
    fc.assert(
      fc.property(heads, fc.nat(40), fc.uint8Array({ maxLength: 200 }), (head, length, rest) => {
        expect(() => pictureOf(Buffer.concat([head.subarray(0, length), rest]))).not.toThrow();
      }),
    );
  });
});

const token = 'abcdefghijklmnopqrst-_';
const picture = { realmId: 3, token, sizeBytes: 4096, format: 'png' } as const;

describe(picturePath.name, () => {
  it('ends in a file name that pictureNamed reads', () => {
    const path = picturePath(3, pictureKey(picture));
    expect(path).toBe(`/user_avatars/3/emoji/images/${token}-4096.png`);
    expect(pictureNamed(3, path.slice(path.lastIndexOf('/') + 1))).toEqual(picture);
  });
});

describe(pictureNamed.name, () => {
  it.each([
    '',
    `${token}.png`,
    `${token}-0.png`,
    `${token}-1.svg`,
    `${token}-1.png.svg`,
    `${token}-1.constructor`,
    `${token}a-1.png`,
    `../${token.slice(3)}-1.png`,
    `${token}-9999999999.png`,
    `${token}-1.png\n`,
  ])('returns null for %j', (fileName) => {
    expect(pictureNamed(3, fileName)).toBeNull();
  });
});
