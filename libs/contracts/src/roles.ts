/** Roles of an account, as their numbers stand in the API: the smaller, the mightier. */
export const roles = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

/** True for owners and administrators. */
export const isAdministrator = (role: number): boolean => role <= roles.administrator;
