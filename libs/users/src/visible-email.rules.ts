import { type Caller, isAdministrator } from '#contracts';

interface Addresses {
  readonly id: number;
  readonly email: string;
  readonly deliveryEmail: string;
}

/**
 * The address that an account signs in with, or null when the caller is not told it: administrators and
 * the account itself are, and everybody where it is the one that others see.
 */
export const visibleDeliveryEmail = (
  caller: Pick<Caller, 'userId' | 'role'>,
  { id, email, deliveryEmail }: Addresses,
): string | null =>
  id === caller.userId || isAdministrator(caller.role) || email === deliveryEmail
    ? deliveryEmail
    : null;
