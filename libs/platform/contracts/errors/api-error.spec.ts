import { describe, expect, it } from '@jest/globals';
import { ApiError, quoted } from './api-error.js';
import { parameterErrors, requestErrors } from './request.errors.js';

describe(ApiError.name, () => {
  it('fills the placeholders of the text', () => {
    expect(new ApiError(requestErrors.bodyTooLarge, { limit: 10 }).message).toBe(
      'The request body is too large (limit: 10 bytes).',
    );
  });

  it('inserts a value with replacement patterns unchanged', () => {
    expect(new ApiError(parameterErrors.missingParameter, { name: '$& {name} {x}' }).message).toBe(
      "Missing '$& {name} {x}' argument",
    );
  });

  it('cuts a long value, and no text of the server', () => {
    const long = 'x'.repeat(1001);
    expect(new ApiError(parameterErrors.missingParameter, { name: long }).message).toBe(
      `Missing '${'x'.repeat(1000)}…' argument`,
    );
    expect(new ApiError(parameterErrors.invalidParameter, { text: long }).message).toBe(long);
    expect(quoted(`${'x'.repeat(999)}🙂`)).toBe(`${'x'.repeat(999)}…`);
  });

  it('keeps a placeholder without a value', () => {
    expect(new ApiError(parameterErrors.missingParameter).message).toBe(
      "Missing '{name}' argument",
    );
  });

  it('has the error and further fields', () => {
    const sut = new ApiError(parameterErrors.missingParameter, { name: 'v' }, { var_name: 'v' });
    expect(sut).toBeInstanceOf(Error);
    expect(sut.error).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
      status: 400,
      msg: "Missing '{name}' argument",
    });
    expect(sut.fields).toEqual({ var_name: 'v' });
  });
});
