import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ApiError, parameterErrors, successEnvelope } from '#platform/contracts';
import { errorBody, JsonText, successBody, acceptedEncoding } from './response-body.rules.js';

const RESERVED = new Set(['result', 'msg', 'ignored_parameters_unsupported']);

/** The fields of an answer of an endpoint: any names except those of the envelope. */
const fields = fc.dictionary(
  fc.string().filter((name) => !RESERVED.has(name)),
  fc.jsonValue(),
);

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe(successBody.name, () => {
  it('contains the envelope and the fields', () => {
    fc.assert(
      fc.property(fields, fc.array(fc.string()), (given, ignored) => {
        const envelope = {
          result: 'success',
          msg: '',
          ...(ignored.length === 0 ? {} : { ignored_parameters_unsupported: ignored }),
        };
        const body = successBody(given, ignored);
        expect(asJson(JSON.parse(String(body)))).toEqual(asJson({ ...envelope, ...given }));
        expect(successBody(new JsonText(JSON.stringify(given)), ignored)).toBe(body);
      }),
    );
  });

  it('equals successEnvelope of the same text', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const text = JSON.stringify(given);
        expect(Buffer.from(String(successBody(new JsonText(text), [])))).toEqual(
          Buffer.from(successEnvelope(text)),
        );
      }),
    );
  });

  it('omits an empty list of ignored parameters, and ends with a newline', () => {
    expect(successBody({}, [])).toBe('{"result":"success","msg":""}\n');
    expect(successBody(new JsonText('{}'), [])).toBe('{"result":"success","msg":""}\n');
    expect(successBody(undefined, ['a'])).toBe(
      '{"result":"success","msg":"","ignored_parameters_unsupported":["a"]}\n',
    );
  });
});

describe(errorBody.name, () => {
  it('contains the text, the code and the fields of the error, and ends with a newline', () => {
    const body = errorBody(
      new ApiError(parameterErrors.missingParameter, { name: 'v' }, { var_name: 'v' }),
    );
    expect(JSON.parse(body)).toEqual({
      result: 'error',
      msg: "Missing 'v' argument",
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'v',
    });
    expect(body.endsWith('}\n')).toBe(true);
  });
});

describe(acceptedEncoding.name, () => {
  it.each([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=1.0', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity, gzip', 'gzip'],
    ['GZip', 'gzip'],
  ])('selects for "%s": %s', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });
});
