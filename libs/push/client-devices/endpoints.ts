export { ClientDevicesController } from './client-devices.controller.js';
