import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Licences that permit the use in a program under Apache-2.0, without conditions on our own code. */
const PERMITTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
]);

/** Packages with another licence, or with none in the registry, and why each is permitted. */
const EXAMINED: Readonly<Record<string, string>> = {
  limiter: 'MIT, in a member that npm no longer reads',
};

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  /** Also an optional dependency of another package, which no program loads: it is not in the image. */
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Whether a licence expression of SPDX is permitted: one of its alternatives, and every part of that one. */
const isPermitted = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(/ and /i).every((part) => PERMITTED.has(part.trim())));

describe('The licences of the packages in the image', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const inImage = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true,
  );
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13);

  it('permit the use without conditions on our code', () => {
    const refused = inImage
      // The lock file has no licence of a program for another platform; that of its package is checked.
      .filter(([, { license, optional }]) => !(license === undefined && optional === true))
      .filter(([path, { license = '' }]) => !isPermitted(license) && !(nameOf(path) in EXAMINED))
      .map(([path, { license }]) => `${nameOf(path)}: ${license}`);
    expect(refused).toEqual([]);
  });

  it.each([
    ['(BSD-3-Clause OR GPL-2.0)', true],
    ['MIT and ISC', true],
    ['GPL-2.0', false],
    ['MIT AND GPL-3.0', false],
    ['', false],
  ])('are compared as expressions: %s', (expression, permitted) => {
    expect(isPermitted(expression)).toBe(permitted);
  });

  it('are examined only for installed packages', () => {
    const names = new Set(inImage.map(([path]) => nameOf(path)));
    expect(Object.keys(EXAMINED).filter((name) => !names.has(name))).toEqual([]);
  });
});
