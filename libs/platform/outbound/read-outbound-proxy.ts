import { exemptionOf } from './no-proxy.rules.js';
import { OutboundProxy, type OutboundProxySettings } from './outbound-proxy.js';
import { readAuthority } from './read-authority.js';

type ProxyVariables = Omit<OutboundProxySettings, 'certificateAuthority' | 'isExempt'> & {
  readonly caFile: string | undefined;
  /** As in the environment. */
  readonly noProxy: string;
};

/** The proxy for connections to other servers; undefined without one. Throws CredentialFault for a faulty authority. */
export async function readOutboundProxy(
  variables: ProxyVariables | null,
): Promise<OutboundProxy | undefined> {
  if (variables === null) return undefined;
  const { caFile, noProxy, ...proxy } = variables;
  const certificateAuthority = await readAuthority('OUTBOUND_PROXY_CA_FILE', caFile);
  return new OutboundProxy({ ...proxy, certificateAuthority, isExempt: exemptionOf(noProxy) });
}
