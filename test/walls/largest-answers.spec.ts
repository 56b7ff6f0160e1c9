import { expect, it } from '@jest/globals';
import { operations } from '../performance/endpoint-operations.fixture.js';
import { largestRequests, withoutLargestState } from '../performance/largest-answers.fixture.js';

it('is known for every endpoint of the OpenAPI document how an account gets its largest answer', () => {
  const known = [...Object.keys(largestRequests), ...Object.values(withoutLargestState).flat()];
  const existing = new Set(operations().map(({ name }) => name));
  expect(known.toSorted()).toEqual([...existing].toSorted());
});
