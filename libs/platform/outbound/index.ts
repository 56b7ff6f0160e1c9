export { exemptionOf, type ProxyExemption } from './no-proxy.rules.js';
export { OutboundProxy, type OutboundProxySettings, ProxyFault } from './outbound-proxy.js';
export { isPublicAddress, lookUpAs, lookUpPublic, PrivateAddress } from './public-addresses.js';
export { serverOf } from './server-of.rules.js';
export { beginTls, beginTlsThrough, type TlsServer } from './tls-connection.js';
