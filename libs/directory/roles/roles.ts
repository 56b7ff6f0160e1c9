/** The numbers of roles in the API. A smaller number has more rights. */
export const roles = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

/** True for owners and administrators. */
export const isAdministrator = (role: number): boolean => role <= roles.administrator;

/** Whether an account with the first role may change one with the other role as an administrator. */
export const mayAdminister = (callerRole: number, role: number): boolean =>
  isAdministrator(callerRole) && (role !== roles.owner || callerRole === roles.owner);

/** True for guests, whose rights are the fewest. */
export const isGuest = (role: number): boolean => role >= roles.guest;
