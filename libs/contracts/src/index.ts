export {
  type Access,
  type Admission,
  ADMISSION,
  type Applicant,
  type OnCharged,
  refuseRole,
} from './admission.js';
export type { Caller, Realm } from './caller.js';
export { ApiError, type ErrorValues } from './errors/api-error.js';
export { type CataloguedError, errorCatalogue, type ErrorName } from './errors/catalogue.js';
export {
  type ApnsEnvironment,
  apnsEnvironments,
  type DeliveryState,
  deliveryStates,
  type JobName,
  type JobPayload,
  jobSchemas,
  jobsOfQueue,
  leastJobPriority,
  type NotificationKind,
  notificationKinds,
  type Platform,
  platformQueue,
  platforms,
  type PushLane,
  pushLanes,
  type QueueName,
  queueNames,
} from './jobs/queues.js';
export { LIMITS, type Limits } from './limits.js';
export type { LimitState } from './limit-state.js';
export {
  bodyEncodings,
  type BodyEncoding,
  type CompressedResponse,
  type PresenceAnswer,
  presenceAnswers,
  type PresenceReading,
  type PresenceRequest,
  type PresenceService,
  type PresenceViewer,
  type SeenTimes,
  type UserPresenceQuestion,
  type UserReading,
  type VisibilityChange,
} from './presence/presence-service.js';
export {
  defaultPresenceTiming,
  leastOfflineSeconds,
  type PresenceTiming,
  presenceTimingOf,
} from './presence/presence-timing.js';
export { isAdministrator, roles } from './roles.js';
export { isMessageId, isRowId } from './row-id.js';
export { successEnvelope } from './success-envelope.js';
