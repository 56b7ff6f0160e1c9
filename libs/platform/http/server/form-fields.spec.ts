import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formFields } from './form-fields.js';

describe(formFields.name, () => {
  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a&b=&=c', { a: '', b: '', '': 'c' }],
    ['&&a=b=c&', { a: 'b=c' }],
    ['a+b=c%2Bd+e', { 'a b': 'c+d e' }],
    ['%26=%3D', { '&': '=' }],
    ['a=100%&b=%zz%41&c=%4', { a: '100%', b: '%zzA', c: '%4' }],
    ['a=caf%C3%A9%f0%9f%98%80\u00e9', { a: 'caf\u00e9\u{1f600}\u00e9' }],
    ['', {}],
  ])('reads %j', (form, expected) => {
    expect({ ...formFields(Buffer.from(form)) }).toEqual(expected);
  });

  it.each(['a=%E9', 'a=%C3&%A9=b', 'a=%C3=%A9', 'a=%C3x', '%A9', 'a=\u00e9%A9'])(
    'refuses %j, which is not UTF-8',
    (form) => {
      expect(formFields(Buffer.from(form))).toBeNull();
    },
  );

  it('refuses a form in Latin-1', () => {
    expect(formFields(Buffer.from('a=\u00e9', 'latin1'))).toBeNull();
    expect(formFields(Buffer.from('a=\u00c3%A9', 'latin1'))).toBeNull();
  });

  it('reads what URLSearchParams reads', () => {
    const piece = fc.constantFrom('x', 'y', '=', '&', '+', '%', '%41', '%C3%A9', '4');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const form = pieces.join('');
        const read = Object.entries(formFields(Buffer.from(form)) ?? {}).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, one]),
        );
        const expected = [...new URLSearchParams(form)];
        expect(read.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });
});
