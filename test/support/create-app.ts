import { afterAll } from '@jest/globals';
import { App, type AppProps } from 'aws-cdk-lib';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';

// The CDK does it by itself when its process exits, which Jest does not let it see.
afterAll(() => CloudAssembly.cleanupTemporaryDirectories());

/**
 * An app whose temporary folder is removed after the suite. The CDK's own validation of its templates, which takes
 * longer than everything else, is off where a test does not ask for it.
 */
export function createApp(props: AppProps = {}): App {
  return new App({ builtinCloudFormationValidation: false, ...props });
}
