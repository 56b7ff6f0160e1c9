import { describe, expect, it } from '@jest/globals';
import type { Progress } from '../deploy/local/command.js';
import { areArgumentsKnown } from './run.js';

/** Whether the arguments are known, with what is printed otherwise. */
function checked(...args: string[]) {
  const printed: string[] = [];
  const progress = { print: (text: string) => printed.push(text) } as unknown as Progress;
  return { isKnown: areArgumentsKnown({ root: '', args, progress }), text: printed.join('\n') };
}

describe(areArgumentsKnown.name, () => {
  it.each([[[]], [['push', 'events.rate', '--profile', '--messages=100000', '--beside', '..']]])(
    'knows %j',
    (args) => {
      expect(checked(...args)).toEqual({ isKnown: true, text: '' });
    },
  );

  it.each([
    ['--help', '--help is no option. The options: --beside <folder>, --profile'],
    ['nothing.such', 'Nothing is called so.'],
  ])('refuses %s, and names what there is', (given, expected) => {
    const { isKnown, text } = checked(given);
    expect(isKnown).toBe(false);
    expect(text).toContain(expected);
    expect(text).toContain('push.single');
  });
});
