import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';

describe(ApiError.name, () => {
  it("fills the blanks of its case's text", () => {
    expect(new ApiError('bodyTooLarge', { limit: 10 }).message).toBe(
      'The request body is too large (limit: 10 bytes).',
    );
  });

  it('takes a value as it is, whatever a replacement would make of it', () => {
    expect(new ApiError('invalidPresenceStatus', { status: '$& {status} {x}' }).message).toBe(
      'Invalid status: $& {status} {x}',
    );
  });

  it('leaves a blank that has no value', () => {
    expect(new ApiError('missingParameter').message).toBe("Missing '{name}' argument");
  });

  it('carries its case and further fields', () => {
    const sut = new ApiError('missingParameter', { name: 'v' }, { var_name: 'v' });
    expect(sut).toBeInstanceOf(Error);
    expect(sut.error).toEqual({
      code: 'REQUEST_VARIABLE_MISSING',
      status: 400,
      msg: "Missing '{name}' argument",
    });
    expect(sut.fields).toEqual({ var_name: 'v' });
  });
});
