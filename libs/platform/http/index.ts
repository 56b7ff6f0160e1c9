export { EdgeModule } from './edge.module.js';
export { API_PREFIX, endpoint, type EndpointDeclaration, type ParametersOf } from './endpoint.js';
export { type ByteRange, FileAnswer } from './files/file-answer.interceptor.js';
export type { UploadedFile } from './files/file-receiver.js';
export { FreeSpace } from './files/free-space.js';
export { openApiDocument } from './openapi/openapi-document.js';
export {
  header,
  identifier,
  json,
  jsonBody,
  limitedName,
  limitedText,
  messageId,
  type Parameter,
  text,
} from './parameters/parameter.js';
export {
  addDirectRoute,
  charged,
  type DirectRequest,
  type DirectRouteOptions,
  type OnClosed,
} from './server/add-direct-route.js';
export { sharedAnswer } from './server/compressed-answer.js';
export { RejectedBody } from './server/body-parsers.js';
export { buildEdge } from './server/build-edge.js';
export { createEdgeAdapter, fastifyOf } from './server/configure-edge.js';
export { HijackedAnswer } from './server/hijacked-answer.js';
export { BYTES_OF_CALL } from './server/limits.js';
export type { EndedRequest, OnEnded } from './server/ended-requests.js';
export type { ConnectionLimits } from './server/connections.js';
export {
  Closed,
  Endpoint,
  type Endpoints,
  endpointsOf,
  endpointsOfApp,
  Parameters,
  SentFile,
  SignedIn,
  SignedInServer,
  ClientAddress,
  AcceptedEncoding,
} from './server/endpoint.decorator.js';
export { errorHeaders, logFailure, sendError, toApiError } from './server/error.filter.js';
export { requestLog } from './server/request-log.js';
export { CompressedResponse, JsonText } from './server/response-body.rules.js';
export { SharedText } from './server/shared-text.js';
export { jsonInSlices } from './server/sliced-json.js';
export { addStreamingRoute } from './server/streaming-route.js';
