/** With these timeouts a dead connection is noticed. By default the SDK waits for ever, and knows no proxy. */
export const AWS_TIMEOUTS = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
  get httpsAgent() {
    const { HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy } = process.env;
    return { proxyEnv: { HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy } };
  },
};
