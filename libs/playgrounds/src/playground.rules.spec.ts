import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#contracts';
import { checkPlayground } from './playground.rules.js';

const playground = {
  name: 'Rust playground',
  pygmentsLanguage: 'Rust',
  urlTemplate: 'https://play.rust-lang.org/?code={code}',
};

function faultOf(change: Partial<typeof playground>): Pick<ApiError, 'message' | 'fields'> {
  try {
    checkPlayground({ ...playground, ...change });
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message, fields: error.fields };
    throw error;
  }
  throw new Error('The playground was not refused');
}

describe(checkPlayground.name, () => {
  it.each(['Rust', 'C++', 'C#', 'objective-c', 'a.b/c_d 1,2'])('takes the language %s', (given) => {
    expect(() => checkPlayground({ ...playground, pygmentsLanguage: given })).not.toThrow();
  });

  it.each(['Rust!', 'Pýthon', 'a\nb', '<b>', 'Rust\n'])('refuses the language %j', (given) => {
    expect(faultOf({ pygmentsLanguage: given })).toEqual({
      message: 'Invalid characters in pygments language',
      fields: {},
    });
  });

  it.each([
    [{ name: '' }, 'name', 'This field cannot be blank.'],
    [{ pygmentsLanguage: '' }, 'pygments_language', 'This field cannot be blank.'],
    [{ urlTemplate: '' }, 'url_template', 'This field cannot be blank.'],
    [{ urlTemplate: 'https://a.example/{' }, 'url_template', 'Invalid URL template.'],
    [
      { urlTemplate: 'https://a.example/{x}' },
      'url_template',
      'Missing the required variable "code" in the URL template',
    ],
    [
      { urlTemplate: 'https://a.example/{x,code}' },
      'url_template',
      '"code" should be the only variable present in the URL template',
    ],
  ])('refuses %j', (change, member, message) => {
    expect(faultOf(change)).toEqual({ message, fields: { errors: { [member]: [message] } } });
  });

  it('tells of all that is wrong, and of the first in the text', () => {
    expect(faultOf({ name: '', pygmentsLanguage: '', urlTemplate: 'https://a.example' })).toEqual({
      message: 'This field cannot be blank.',
      fields: {
        errors: {
          name: ['This field cannot be blank.'],
          pygments_language: ['This field cannot be blank.'],
          url_template: ['Missing the required variable "code" in the URL template'],
        },
      },
    });
  });
});
