import { describe, expect, it } from '@jest/globals';
import { ApiError, successEnvelope } from '#contracts';
import * as fc from 'fast-check';
import { errorBody, successBody } from './envelope.rules.js';
import { JsonText } from './json-text.js';

const RESERVED = new Set(['result', 'msg', 'ignored_parameters_unsupported']);

/** Fields as an endpoint may answer with; the envelope's own names are not theirs to use. */
const fields = fc.dictionary(
  fc.string().filter((name) => !RESERVED.has(name)),
  fc.jsonValue(),
);

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe(successBody.name, () => {
  it('is the envelope with the fields, whatever they are', () => {
    fc.assert(
      fc.property(fields, fc.array(fc.string()), (given, ignored) => {
        const envelope = {
          result: 'success',
          msg: '',
          ...(ignored.length === 0 ? {} : { ignored_parameters_unsupported: ignored }),
        };
        const body = successBody(given, ignored);
        expect(asJson(JSON.parse(body))).toEqual(asJson({ ...envelope, ...given }));
        expect(successBody(new JsonText(JSON.stringify(given)), ignored)).toBe(body);
      }),
    );
  });

  it('is byte for byte what others make of the same text', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const text = JSON.stringify(given);
        expect(Buffer.from(successBody(new JsonText(text), []))).toEqual(
          Buffer.from(successEnvelope(text)),
        );
      }),
    );
  });

  it('leaves the ignored parameters out when there are none, and ends with a newline', () => {
    expect(successBody({}, [])).toBe('{"result":"success","msg":""}\n');
    expect(successBody(new JsonText('{}'), [])).toBe('{"result":"success","msg":""}\n');
    expect(successBody(undefined, ['a'])).toBe(
      '{"result":"success","msg":"","ignored_parameters_unsupported":["a"]}\n',
    );
  });
});

describe(errorBody.name, () => {
  it('holds the text, the code and the fields of the case, and ends with a newline', () => {
    const body = errorBody(new ApiError('missingParameter', { name: 'v' }, { var_name: 'v' }));
    expect(JSON.parse(body)).toEqual({
      result: 'error',
      msg: "Missing 'v' argument",
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'v',
    });
    expect(body.endsWith('}\n')).toBe(true);
  });
});
