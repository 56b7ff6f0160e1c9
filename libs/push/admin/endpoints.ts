export { OpsModule } from './ops/ops.module.js';
export { serveOps } from './ops/serve-ops.js';
