export { ClientDevicesController } from './encrypted/client-devices.controller.js';
export { DevicesController } from './plain/devices.controller.js';
