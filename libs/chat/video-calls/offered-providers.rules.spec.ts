import { describe, expect, it } from '@jest/globals';
import { offeredProviders } from './offered-providers.rules.js';

const disabled = { id: 0, name: 'None' };
const zoom = { id: 3, name: 'Zoom' };
const webex = { id: 8, name: 'Webex' };

describe(offeredProviders.name, () => {
  it.each([
    [[], { disabled }, 0],
    [['webex'], { disabled, webex }, 8],
    [['webex', 'zoom'], { disabled, zoom, webex }, 3],
  ] as const)('chooses one of %j', (configured, available, chosenId) => {
    expect(offeredProviders(configured)).toEqual({ available, chosenId });
  });
});
