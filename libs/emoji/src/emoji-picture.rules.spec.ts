import { describe, expect, it } from '@jest/globals';
import { pictureKey, pictureNamed, picturePath } from './emoji-picture.rules.js';

const token = 'abcdefghijklmnopqrst-_';
const picture = { realmId: 3, token, sizeBytes: 4096, format: 'png' } as const;

describe(picturePath.name, () => {
  it('ends in what the picture is found by', () => {
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
  ])('knows %j for none', (fileName) => {
    expect(pictureNamed(3, fileName)).toBeNull();
  });
});
