export { ReceiptRepository } from './receipts.repository.js';
export { ReceiptsSweep } from './receipts-sweep.js';
