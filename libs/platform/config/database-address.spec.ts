import { describe, expect, it } from '@jest/globals';
import { databaseAddress, databaseFault } from './database-address.js';

describe(databaseAddress.name, () => {
  it('reads one server', () => {
    const url = 'postgresql://u:p%40ss@db:6000/carillon?sslmode=verify-full';
    expect(databaseAddress(url)).toEqual({ servers: [{ host: 'db', port: 6000 }], url });
  });

  it('reads several servers, with their ports', () => {
    expect(databaseAddress('postgres://u:p@db-1,db-2:6000,[::1]:7000/carillon?a=b')).toEqual({
      servers: [
        { host: 'db-1', port: 5432 },
        { host: 'db-2', port: 6000 },
        { host: '::1', port: 7000 },
      ],
      url: 'postgres://u:p@db-1/carillon?a=b',
    });
  });

  it.each([
    'mysql://db/carillon',
    'postgresql:/db',
    'postgresql://db-1,/carillon',
    'postgresql://db-1:port,db-2/carillon',
    'postgresql://db-1:70000/carillon',
  ])('refuses %s', (url) => {
    expect(databaseAddress(url)).toBeNull();
  });
});

describe(databaseFault.name, () => {
  it.each([
    'postgresql://db/carillon',
    'postgresql:///carillon?host=/run/postgresql',
    'postgresql://a,b/carillon?target_session_attrs=read-write',
    `postgresql://db/carillon?sslmode=verify-full&sslrootcert=package.json`,
  ])('accepts %s', (url) => {
    expect(databaseFault(url)).toBeNull();
  });

  it.each([
    ['postgresql://u:secret#1@db/carillon', 'percent-encode'],
    ['postgresql://u:secret/1@db/carillon', 'percent-encode'],
    ['postgresql://u:secret%@db/carillon', 'percent-encode'],
    ['http://db/carillon', 'begins with postgresql://'],
    ['postgresql://db/carillon?sslmode=verify_full', 'expected sslmode to be one of'],
    ['postgresql://db/carillon?target_session_attrs=any', 'expected target_session_attrs'],
    [
      'postgresql://u:secret@db/carillon?sslrootcert=/none.pem',
      'the file of sslrootcert (/none.pem) cannot be read',
    ],
  ])('refuses %s', (url, fault) => {
    expect(databaseFault(url)).toContain(fault);
    expect(databaseFault(url)).not.toContain('secret');
  });
});
