export { EventStatusModule } from './event-status.module.js';
export { type EventStatus, EventStatusService } from './event-status.service.js';
export { type GatewayReport, gatewayReport } from './gateway-report.js';
export { GatewayReportStore } from './gateway-report.store.js';
