import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface EndpointFunctionProps {
  /** Name of the file in functions/, without its ending. */
  readonly entry: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Gets the events that nobody waits for and that the function failed on. @default - they are lost */
  readonly deadLetterQueue?: IQueue;
}

/**
 * Loaded by the SDK only where the environment has no credentials, and in Lambda it has: left out, a
 * bundle is 115 kB smaller.
 */
const OTHER_CREDENTIALS = ['ini', 'process', 'sso', 'web-identity'].map(
  (source) => `@aws-sdk/credential-provider-${source}`,
);

/** One of steproll's Lambda functions, with a role and a log group that no other function has. */
export class EndpointFunction extends Construct {
  readonly lambda: NodejsFunction;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Of the function ${props.entry}, alone`,
    });
    logGroup.grantWrite(role);

    this.lambda = new NodejsFunction(this, 'Function', {
      ...props,
      entry: fileInProject(`functions/${props.entry}.ts`),
      projectRoot: fileInProject('.'),
      depsLockFilePath: fileInProject('package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      // An event that came without waiting for its answer must not create an endpoint twice.
      retryAttempts: 0,
      awsSdkConnectionReuse: false,
      bundling: {
        // CommonJS: undici as an ES module needs a shim for `require`.
        format: OutputFormat.CJS,
        mainFields: ['module', 'main'],
        target: 'node24',
        minify: true,
        // The SDK that was tested, not the one that the runtime has that day.
        bundleAwsSDK: true,
        externalModules: OTHER_CREDENTIALS,
        logLevel: LogLevel.WARNING,
      },
    });
  }
}

function fileInProject(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
