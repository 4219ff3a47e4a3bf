/** The probe of rollouts that have one. */
export const PROBE = {
  path: '/healthz',
  status: 200,
  tries: 3,
  timeoutSeconds: 5,
  hosts: ['*.localhost'],
  privateNetwork: false,
};
