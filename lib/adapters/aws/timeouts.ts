/** With these timeouts a dead connection is noticed. By default the SDK waits for ever. */
export const AWS_TIMEOUTS = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};
