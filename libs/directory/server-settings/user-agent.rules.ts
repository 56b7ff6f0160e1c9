/** The name of a client in its `User-Agent`: the part before the first slash or space. */
const nameOf = (userAgent: string): string => userAgent.trim().split(/[/ ]/, 1)[0] ?? '';

/** With this name clients test how they show that they no longer work. No real client has it. */
const INCOMPATIBLE = 'ZulipInvalid';

/** Whether a client is too old to work with this server. */
export const isIncompatible = (userAgent: string): boolean => nameOf(userAgent) === INCOMPATIBLE;
