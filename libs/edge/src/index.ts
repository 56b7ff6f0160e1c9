export { EdgeModule } from './edge.module.js';
export { endpoint, type EndpointDeclaration, type ParametersOf } from './endpoint.js';
export { API_PREFIX } from './http/route-path.rules.js';
export type { ByteRange } from './files/byte-range.rules.js';
export { FileAnswer } from './files/file-answer.js';
export type { FileDeclaration, UploadedFile } from './files/file-declaration.js';
export { closeWhileDraining } from './http/close-while-draining.js';
export type { ConnectionLimits } from './http/connections.js';
export { configureEdge, createEdgeAdapter } from './http/configure-edge.js';
export {
  Endpoint,
  Parameters,
  SentFile,
  SignedIn,
  TakenEncoding,
} from './http/endpoint.decorator.js';
export { endpointsOf } from './http/endpoints-of.js';
export { logFailure, toApiError } from './http/error.filter.js';
export { FinishedResponse } from './http/finished-response.js';
export { fastifyOf } from './http/fastify-of.js';
export { JsonText } from './http/json-text.js';
export { addStreamingRoute, type StreamingRoute } from './http/streaming-route.js';
export { openApiDocument } from './openapi/openapi-document.js';
export { limitedText } from './parameters/limited-text.js';
export { header, identifier, json, messageIdentifier, text } from './parameters/parameter.js';
