export { exemptionOf, type ProxyExemption } from './no-proxy.rules.js';
export { OutboundProxy, type OutboundProxySettings, ProxyFault } from './outbound-proxy.js';
export { beginTls, beginTlsThrough, type TlsServer } from './tls-connection.js';
