import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { urlTemplateFault } from './url-template.rules.js';

describe(urlTemplateFault.name, () => {
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
  ])('takes %s', (template) => {
    expect(urlTemplateFault(template)).toBeNull();
  });

  it.each([
    ['https://example.com/{code', 'invalidUrlTemplate'],
    ['https://example.com/code}', 'invalidUrlTemplate'],
    ['https://example.com/{code}}', 'invalidUrlTemplate'],
    ['https://example.com/ {code}', 'invalidUrlTemplate'],
    ['https://example.com/{}', 'invalidUrlTemplate'],
    ['https://example.com/{{code}}', 'invalidUrlTemplate'],
    ['https://example.com/{co de}', 'invalidUrlTemplate'],
    ['https://example.com/{code:0}', 'invalidUrlTemplate'],
    ['https://example.com/{code:10000}', 'invalidUrlTemplate'],
    ['https://example.com/{code(note)}', 'invalidUrlTemplate'],
    ['javascript:alert({code})', 'invalidUrlTemplate'],
    ['data:text/html,{code}', 'invalidUrlTemplate'],
    ['//example.com/{code}', 'invalidUrlTemplate'],
    ['https://{code}', 'invalidUrlTemplate'],
    ['{code}', 'invalidUrlTemplate'],
    ['', 'invalidUrlTemplate'],
    ['https://example.com', 'codeVariableMissing'],
    ['https://example.com/{test}', 'codeVariableMissing'],
    ['https://example.com/{CODE}', 'codeVariableMissing'],
    ['https://example.com/{test,other}', 'codeVariableMissing'],
    ['https://example.com/{code}{?test}', 'otherVariablesInTemplate'],
    ['https://example.com/{code,test}', 'otherVariablesInTemplate'],
    [`https://example.com/${'{'.repeat(2000)}`, 'invalidUrlTemplate'],
  ])('tells what is wrong with %s', (template, fault) => {
    expect(urlTemplateFault(template)).toBe(fault);
  });

  it('takes nothing that is no web address, and never fails', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (start) => {
        const isWebAddress = /^https?:\/\//i.test(start);
        expect(urlTemplateFault(`${start}{code}`) === null && !isWebAddress).toBe(false);
      }),
    );
  });
});
