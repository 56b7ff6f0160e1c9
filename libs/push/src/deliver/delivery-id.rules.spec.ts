import { describe, expect, it } from '@jest/globals';
import { deliveryId } from './delivery-id.rules.js';

const notificationId = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';

describe(deliveryId.name, () => {
  it('is a UUID of version 8', () => {
    expect(deliveryId(notificationId, 1)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('is the same for the same delivery, and for no other', () => {
    expect(deliveryId(notificationId, 1)).toBe(deliveryId(notificationId, 1));
    expect(deliveryId(notificationId, 1)).not.toBe(deliveryId(notificationId, 2));
  });
});
