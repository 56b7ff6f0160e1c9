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

/** True for guests, whose rights are the fewest. */
export const isGuest = (role: number): boolean => role >= roles.guest;
