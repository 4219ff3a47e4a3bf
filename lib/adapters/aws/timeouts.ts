/** With these timeouts a dead connection is noticed. By default the SDK waits for ever, and knows no proxy. */
export const AWS_TIMEOUTS = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
  get httpsAgent() {
    return { proxyEnv: process.env };
  },
};
