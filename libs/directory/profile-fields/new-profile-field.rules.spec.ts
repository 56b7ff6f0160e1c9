import { describe, expect, it } from '@jest/globals';
import { shapeOf } from './field-data.rules.js';
import { newProfileField } from './new-profile-field.rules.js';

const request = {
  name: 'Team',
  hint: 'Which one?',
  fieldType: 1,
  fieldData: {} as Readonly<Record<string, unknown>>,
  isInSummary: false,
  isRequired: false,
  isUserEditable: true,
  isForMatching: false,
};
const github = { subtype: 'github' };
const sut = (change: Partial<typeof request>) => {
  const changed = { ...request, ...change };
  return newProfileField({ ...changed, fieldData: shapeOf(changed.fieldData) });
};

describe(newProfileField.name, () => {
  it.each([1, 2, 4, 5, 6, 8])(
    'makes a field of type %d, which has no configuration',
    (fieldType) => {
      expect(sut({ fieldType, fieldData: { a: 'b' } })).toEqual({
        ...request,
        fieldType,
        fieldData: null,
      });
    },
  );

  it('creates a dropdown', () => {
    const fieldData = { a: { text: 'A', order: '1' } };
    expect(sut({ fieldType: 3, fieldData })).toEqual({ ...request, fieldType: 3, fieldData });
  });

  it('sets the name for an account on a known site', () => {
    expect(sut({ fieldType: 7, fieldData: github, name: '', hint: 'x'.repeat(81) })).toMatchObject({
      name: 'GitHub username',
      hint: '',
      fieldData: github,
    });
  });

  it('keeps the given name for any other account', () => {
    const fieldData = { subtype: 'custom', url_pattern: 'https://a.example/%(username)s' };
    expect(sut({ fieldType: 7, fieldData })).toMatchObject({ name: 'Team', fieldData });
    expect(() => sut({ fieldType: 7, fieldData, name: ' ' })).toThrow('Label cannot be blank.');
  });

  it('trims the name and counts an emoji as one character', () => {
    expect(sut({ name: ' Team ' }).name).toBe('Team');
    expect(sut({ name: '🙂'.repeat(40), hint: '🙂'.repeat(80) }).name).toBe('🙂'.repeat(40));
  });

  it.each([
    [{ fieldType: 3, name: '' }, 'Field must have at least one choice.'],
    [{ name: '', hint: 'x'.repeat(81) }, 'Label cannot be blank.'],
    [{ name: '   ' }, 'Label cannot be blank.'],
    [{ name: 'x'.repeat(41), hint: 'x'.repeat(81) }, 'name is too long (limit: 40 characters)'],
    [{ hint: 'x'.repeat(81), fieldType: 9 }, 'hint is too long (limit: 80 characters)'],
    [{ fieldType: 9, isInSummary: true }, 'Invalid field type.'],
    [{ fieldType: 0 }, 'Invalid field type.'],
    [{ fieldType: -1 }, 'Invalid field type.'],
    [
      { fieldType: 6, isInSummary: true, isForMatching: true },
      'Field type not supported for display in profile summary.',
    ],
  ])('refuses %j for the first thing that is wrong', (change, message) => {
    expect(() => sut(change)).toThrow(message);
  });

  it.each([1, 2, 3, 4, 5, 7, 8])('allows a field of type %d in the summary', (fieldType) => {
    const fieldData = { 3: { a: { text: 'A', order: '1' } }, 7: github }[fieldType] ?? {};
    expect(sut({ fieldType, fieldData, isInSummary: true }).isInSummary).toBe(true);
  });

  it('allows short texts and external accounts for matching', () => {
    expect(sut({ fieldType: 1, isForMatching: true }).isForMatching).toBe(true);
    expect(sut({ fieldType: 7, fieldData: github, isForMatching: true }).isForMatching).toBe(true);
  });

  it.each([2, 3, 4, 5, 6, 8])('rejects a field of type %d for matching', (fieldType) => {
    const fieldData = fieldType === 3 ? { a: { text: 'A', order: '1' } } : {};
    expect(() => sut({ fieldType, fieldData, isForMatching: true })).toThrow(
      'Field type not supported for use for user matching.',
    );
  });
});
