import { describe, expect, it } from '@jest/globals';
import { fcmTargetOf, installationOf } from './fcm-target.rules.js';

const fid = 'cF-xYz0123456789_AbCdE';

describe(fcmTargetOf.name, () => {
  it.each([
    [fid, 'fid'],
    [`d${fid.slice(1)}`, 'fid'],
    [`f${fid.slice(1)}`, 'fid'],
    [`g${fid.slice(1)}`, 'token'],
    [`C${fid.slice(1)}`, 'token'],
    [fid.slice(1), 'token'],
    [`${fid}A`, 'token'],
    [`${fid}\n`, 'token'],
    [`${fid.slice(0, -1)}=`, 'token'],
    [`${fid}:APA91b`, 'token'],
    [`${fid}:`, 'token'],
    ['', 'token'],
  ])('%j is a %s', (target, expected) => {
    expect(fcmTargetOf(target)).toBe(expected);
  });
});

describe(installationOf.name, () => {
  it.each([
    [fid, fid],
    [`${fid}:APA91b:x`, fid],
    [`${fid}A:APA91b`, null],
    [`${fid.slice(1)}:APA91b`, null],
    [`a:${fid}`, null],
    ['fcm:token', null],
  ])('of %j is %j', (target, expected) => {
    expect(installationOf(target)).toBe(expected);
  });
});
