/** How the operator's page is reached. */
export interface OpsOptions {
  /** The token that an operator signs in with; undefined when there is to be no ops page. */
  readonly token: string | undefined;
  /** Where browsers reach this server. */
  readonly externalUrl: string;
}

/** DI token of the OpsOptions. */
export const OPS_OPTIONS = Symbol('OpsOptions');
