export { EventStatusModule } from './event-status.module.js';
export { EventStatusService } from './event-status.service.js';
export { type GatewayReport } from './gateway-report.js';
export { GatewayReportStore } from './gateway-report.store.js';
