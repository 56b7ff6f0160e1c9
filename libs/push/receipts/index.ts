export { ReceiptsModule } from './receipts.module.js';
export { ReceiptRepository } from './receipts.repository.js';
export { ReceiptsSweep } from './receipts-sweep.js';
