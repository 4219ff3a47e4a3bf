/** The probe of rollouts that have one. */
export const PROBE = {
  path: '/healthz',
  status: 200,
  tries: 3,
  timeoutSeconds: 5,
  hosts: ['*.localhost'],
  privateNetwork: false,
};

/** The name of the alarm that only watches. */
export const WATCHER = 'watched';
