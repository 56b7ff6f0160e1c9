import { describe, expect, it } from '@jest/globals';
import { normalizeEmailAddress, rejectForbiddenEmail } from './email-address.rules.js';

describe(normalizeEmailAddress.name, () => {
  it.each([
    ['newbie@example.com', 'newbie@example.com'],
    ['  Newbie@Example.COM\n', 'Newbie@Example.COM'],
    ['n.e.w@example.com', 'n.e.w@example.com'],
    ["o'brien+lists/x=y@mail.example.co.uk", "o'brien+lists/x=y@mail.example.co.uk"],
    [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
  ])('takes %j', (given, stored) => {
    expect(normalizeEmailAddress(given)).toBe(stored);
  });

  it.each([
    '',
    'newbie',
    'newbie@',
    '@example.com',
    'newbie@example',
    'new.bie@example',
    'a@b@example.com',
    'new bie@example.com',
    'new:bie@example.com',
    'new\u0000bie@example.com',
    'newbie@exa_mple.com',
    'newbie@example.com.',
    'newbie@-example.com',
    'nëwbie@example.com',
    '.newbie@example.com',
    'new..bie@example.com',
    'newbie.@example.com',
    `${'x'.repeat(65)}@example.com`,
    `x@${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(57)}.com`,
    'x'.repeat(100_000),
  ])('refuses %j', (given) => {
    expect(() => normalizeEmailAddress(given)).toThrow('Bad name or username');
  });
});

describe(rejectForbiddenEmail.name, () => {
  const isDisposable = (domain: string) => domain === 'throwaway.test';
  const open = { domains: [], refusesDisposable: true };
  const restricted = {
    domains: [
      { domain: 'example.com', allowsSubdomains: false },
      { domain: 'example.org', allowsSubdomains: true },
      { domain: 'throwaway.test', allowsSubdomains: false },
    ],
    refusesDisposable: true,
  };

  it.each([
    ['any@elsewhere.net', open],
    ['any+more@elsewhere.net', open],
    ['x@throwaway.test', { domains: [], refusesDisposable: false }],
    ['x@notthrowaway.test', open],
    ['x@EXAMPLE.com', restricted],
    ['x@mail.example.org', restricted],
    ['x@throwaway.test', restricted],
  ])('takes %s', (email, policy) => {
    expect(() => rejectForbiddenEmail(email, policy, isDisposable)).not.toThrow();
  });

  it.each([
    ['x@throwaway.test', open, 'Disposable email addresses are not allowed in this organization'],
    [
      'x@a.b.Throwaway.test',
      open,
      'Disposable email addresses are not allowed in this organization',
    ],
    ['x@a.example.com', restricted, "Email 'x@a.example.com' not allowed in this organization"],
    ['x@badexample.org', restricted, "Email 'x@badexample.org' not allowed in this organization"],
    ['x+y@elsewhere.net', restricted, "Email 'x+y@elsewhere.net' not allowed in this organization"],
    ['x+y@example.com', restricted, 'Email addresses containing + are not allowed.'],
  ])('refuses %s', (email, policy, text) => {
    expect(() => rejectForbiddenEmail(email, policy, isDisposable)).toThrow(text);
  });
});
