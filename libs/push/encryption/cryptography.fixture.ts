const apnsToken = 'c0ffee'.repeat(10) + 'c0ff';

/** Results of the protocol for given keys and nonces, made with other libraries. */
export const vectors = {
  service: {
    privateKey: 'PZTupJxYCu+BaTV2K+BJVZ1tFEDe3hLmoSXxhB//jm8=',
    publicKey: 'RwHQhIhFH1RaQJ+1iuPlhYHKQKw/fxFGmM1x3qxzygE=',
  },
  tokens: [
    { token: apnsToken, id: 'U807QYuy0e0=' },
    { token: 'fcm-token-of-carol', id: 'nXevip6dmho=' },
  ],
  registrations: [
    {
      plain: '{"token":"fcm-token-of-carol","token_kind":"fcm","timestamp":1796083200}',
      sealed:
        'zE8s22ld12bzQRjrZ7mGUv7R2LxJwzCxGbv6imSYk3iBg7nDwm3Ebvh4KFKPw55SE9OGOeBPKqbE2jdJn/PrSs2wFRXVE8xsUxfkUMFS0OdT9Q9kxyQKqBndncwZ1CLB9MOyEjb/oMK3e3jloUlsgDmA0GRUS5EB',
    },
    {
      plain: `{"token":"${apnsToken}","token_kind":"apns","timestamp":1796083200,"ios_app_id":"org.example.Carillon"}`,
      sealed:
        'zE8s22ld12bzQRjrZ7mGUv7R2LxJwzCxGbv6imSYk3g8rOyl7AKESfu+ScI+hYfRE9OGOeBPKqbE2jIalLj6QMXlHV7fEII/VAPuWYBOlPVZ+wk6/ikGox7PwYga0izTvoejHjiqtdCzc2v3/R4+3GyAjjEDHsJMDQa+r9HG8pwTFFkn8Ds67nSvqVNsV7hLatxNqkAiI39IeR9z1jmV7AAMIthpBZutqYmgCC0PFN5/SKJIEftflad3Y6UEtM3Kk5dfj8nEHjGRwJs=',
    },
  ],
  payload: {
    pushKey: 'MYCBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6f',
    plain:
      '{"type":"remove","realm_url":"https://chat.example.org","realm_name":"Example","user_id":10,"message_ids":[31,32]}',
    encrypted:
      'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYmeWx6yavgfyPNblXsA60YVtjfwpHqyGmYtmI8rhJzTRrfoTLvVg6MKYIOhYGCHSIf5z5uEL/T7OtIJo5MmpOdyVnHJbDQZ2v2L2W/06JnEmjUi4+tS5NmiHOdP1wMvb53lnTXbVOMq64Y/ydZhHtaDQPyVvWqfdGX9GKvTSooH5Hhg==',
  },
} as const;
