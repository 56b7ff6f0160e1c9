export { DevicesController } from './devices.controller.js';
