import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '#platform/contracts';
import { checkPlayground, urlTemplateError } from './playground.rules.js';
import { playgroundErrors } from './playgrounds.errors.js';

const playground = {
  name: 'Rust playground',
  pygmentsLanguage: 'Rust',
  urlTemplate: 'https://play.rust-lang.org/?code={code}',
};

function errorOf(change: Partial<typeof playground>): Pick<ApiError, 'message' | 'fields'> {
  try {
    checkPlayground({ ...playground, ...change });
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message, fields: error.fields };
    throw error;
  }
  throw new Error('The playground is valid');
}

describe(checkPlayground.name, () => {
  it.each(['Rust', 'C++', 'C#', 'objective-c', 'a.b/c_d 1,2'])(
    'accepts the language %s',
    (given) => {
      expect(() => checkPlayground({ ...playground, pygmentsLanguage: given })).not.toThrow();
    },
  );

  it.each(['Rust!', 'Pýthon', 'a\nb', '<b>', 'Rust\n'])('rejects the language %j', (given) => {
    expect(errorOf({ pygmentsLanguage: given })).toEqual({
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
  ])('rejects %j', (change, member, message) => {
    expect(errorOf(change)).toEqual({ message, fields: { errors: { [member]: [message] } } });
  });

  it('lists all invalid fields, with the message of the first', () => {
    expect(errorOf({ name: '', pygmentsLanguage: '', urlTemplate: 'https://a.example' })).toEqual({
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

describe(urlTemplateError.name, () => {
  it.each([
    'https://example.com/?code={code}',
    'http://localhost:8080/{code}',
    'https://example.com{/code}',
    'https://example.com{?code}',
    'https://example.com/?a=1{&code}',
    'https://example.com/{#code}',
    'https://example.com/{+code}',
    'https://example.com/{code:3}',
    'https://example.com/{code:9999}',
    'https://example.com/{code*}',
    'https://example.com/{code}?again={code}',
  ])('accepts %s', (template) => {
    expect(urlTemplateError(template)).toBeNull();
  });

  it.each([
    ['https://example.com/{code', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/code}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{code}}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/ {code}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{{code}}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{co de}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{code:0}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{code:10000}', playgroundErrors.invalidUrlTemplate],
    ['https://example.com/{code(note)}', playgroundErrors.invalidUrlTemplate],
    ['javascript:alert({code})', playgroundErrors.invalidUrlTemplate],
    ['data:text/html,{code}', playgroundErrors.invalidUrlTemplate],
    ['//example.com/{code}', playgroundErrors.invalidUrlTemplate],
    ['https://{code}', playgroundErrors.invalidUrlTemplate],
    ['{code}', playgroundErrors.invalidUrlTemplate],
    ['', playgroundErrors.invalidUrlTemplate],
    ['https://example.com', playgroundErrors.codeVariableMissing],
    ['https://example.com/{test}', playgroundErrors.codeVariableMissing],
    ['https://example.com/{CODE}', playgroundErrors.codeVariableMissing],
    ['https://example.com/{test,other}', playgroundErrors.codeVariableMissing],
    ['https://example.com/{code}{?test}', playgroundErrors.otherVariablesInTemplate],
    ['https://example.com/{code,test}', playgroundErrors.otherVariablesInTemplate],
    [`https://example.com/${'{'.repeat(2000)}`, playgroundErrors.invalidUrlTemplate],
  ])('rejects %s', (template, error) => {
    expect(urlTemplateError(template)).toBe(error);
  });

  it('rejects every template that is not a web address, without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (start) => {
        const isWebAddress = /^https?:\/\//i.test(start);
        expect(urlTemplateError(`${start}{code}`) === null && !isWebAddress).toBe(false);
      }),
    );
  });
});
