/** A connection that died is noticed here: the SDK's own default is to wait for ever. */
export const AWS_TIMEOUTS = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};
