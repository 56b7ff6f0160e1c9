import type { DirectoryAccount } from '#directory/users';
import { counted } from '#platform/core';
import type { Device } from '#push/devices';
import { userJson, userText } from '../accounts/named-user.js';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

const deviceJson = (device: Device) => ({
  id: device.id,
  platform: device.platform,
  app_id: device.appId,
  environment: device.environment,
  fingerprint: device.fingerprint,
  registered_at: timeJson(device.registeredAt),
  is_encrypted: device.isEncrypted,
  is_reached: device.isReached,
});

/** The devices of a user. */
export const devicesAnswer = (user: DirectoryAccount, devices: readonly Device[]): Answer => ({
  json: { user: userJson(user), devices: devices.map(deviceJson) },
  text: [
    `${userText(user)}: ${devices.length === 0 ? 'no devices' : counted(devices.length, 'device')}`,
    ...(devices.length === 0 ? [] : [deviceTable(devices)]),
    ...(devices.every(({ isReached }) => isReached)
      ? []
      : [
          'Devices that are not reached belong to an API key that was replaced, or to a deactivated user.',
        ]),
  ].join('\n'),
});

/** The devices that were removed. */
export const removalAnswer = (user: DirectoryAccount, removed: readonly number[]): Answer => ({
  json: { user: userJson(user), removed: [...removed] },
  text: `${userText(user)}: removed ${counted(removed.length, 'device')}.`,
});

const deviceTable = (devices: readonly Device[]): string =>
  tableOf(
    [
      'id',
      'platform',
      'app',
      'environment',
      'fingerprint',
      'registered (UTC)',
      'encrypted',
      'reached',
    ],
    devices.map((device) => [
      device.id,
      device.platform,
      device.appId,
      device.environment,
      device.fingerprint,
      timeText(device.registeredAt),
      device.isEncrypted,
      device.isReached,
    ]),
  );
