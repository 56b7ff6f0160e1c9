/**
 * What apps of this API call emoji of their own accord, where the presets of other chats call them
 * otherwise or mean another emoji by the name: names by code, separated by spaces. A name that stands
 * here twice is, on its own, that of the first.
 */
export const clientNames: Readonly<Record<string, string>> = {
  // What they suggest as statuses.
  '1f4c5': 'calendar',
  '1f915': 'hurt',
  '1f912': 'sick',
  '1f6e0': 'working_on_it',
  // What they suggest as reactions. Servers have called three emoji a smile, and apps remember.
  '1f642': 'smile',
  '1f604': 'smile big_smile',
  '263a': 'smile',
  '1f44d': 'like',
  '2764': 'love',
  // What they call plainly.
  '1f44c': 'ok',
  '1f44b': 'hello',
  '1f641': 'frown',
  '2639': 'sad',
  '1f614': 'tired',
  '1f319': 'moon',
  '2705': 'check',
  '1f557': 'time',
  '1f3b5': 'music',
  '1f4a1': 'idea',
  '1f4b0': 'money',
};
