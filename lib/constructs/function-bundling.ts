import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * Loaded by the SDK only where the environment has no credentials, and in Lambda it has: left out, a
 * bundle is 115 kB smaller.
 */
const OTHER_CREDENTIALS = ['ini', 'process', 'sso', 'web-identity'].map(
  (source) => `@aws-sdk/credential-provider-${source}`,
);

/**
 * No such module, which undici takes for a Node.js without HTTP/2. Otherwise every cold start waits for
 * node:http2, which the client has switched off.
 */
const NO_HTTP2 = 'no-http2';

/** How the functions are bundled. */
export const FUNCTION_BUNDLING = {
  // CommonJS: undici as an ES module needs a shim for `require`, and loads a fifth slower.
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // The SDK that was tested, not the one that the runtime has that day.
  bundleAwsSDK: true,
  externalModules: [...OTHER_CREDENTIALS, NO_HTTP2],
  esbuildArgs: { '--alias': `node:http2=${NO_HTTP2}` },
  // undici's own switch for bundles: without it a second HTTP parser, which is off, adds 180 kB.
  define: { esbuildDetection: 'true' },
  logLevel: LogLevel.WARNING,
} satisfies BundlingOptions;
