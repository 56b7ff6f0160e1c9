/** Whether an account with this role is a guest: some events are for all other accounts. The directory provides it. */
export type IsGuest = (role: number) => boolean;

/** DI token of the IsGuest. */
export const IS_GUEST = Symbol('IsGuest');
