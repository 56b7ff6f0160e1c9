import type { OutboundProxy } from '#platform/outbound';

/** The settings of the push service. */
export interface TenantOptions {
  /** The hosts that the endpoints answer at, in lower case; all when empty. */
  readonly hosts: readonly string[];
  /** Whether new servers may register. */
  readonly isOpen: boolean;
  /** Whether the domain of a contact address must accept mail. */
  readonly checksContacts: boolean;
  /** Whether hosts with private addresses may end a transfer. */
  readonly allowsPrivateHosts: boolean;
  /** The way to those hosts; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
  /** Named to servers that cannot end a transfer. */
  readonly supportEmail: string;
  /** How long a message, and a removal, may wait to be sent, in milliseconds. */
  readonly timeToLiveMs: number;
  /** The most tokens of one account on one platform. */
  readonly devices: number;
  /** The most tokens of one server, unless it has a limit of its own. */
  readonly devicesOfServer: number;
}

/** DI token of the TenantOptions. */
export const TENANT_OPTIONS = Symbol('TenantOptions');
