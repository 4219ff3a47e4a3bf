import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type EventInvokeConfigOptions,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FUNCTION_BUNDLING } from './function-bundling.ts';

export interface EndpointFunctionProps {
  /** Name of the file in functions/, without its ending. */
  readonly entry: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Where nobody waits for the answers. @default - a call that failed is not tried again, and lost */
  readonly async?: AsyncCalls;
}

/** For functions that may run twice for one event. */
export interface AsyncCalls extends Pick<EventInvokeConfigOptions, 'maxEventAge' | 'onFailure'> {
  /** Gets the events that the function failed on. @default - they go to `onFailure` */
  readonly deadLetterQueue?: IQueue;
}

/** After a minute, and two minutes after that: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const ASYNC_RETRIES = 2;

/** One of steproll's Lambda functions, with a role and a log group that no other function has. */
export class EndpointFunction extends Construct {
  readonly lambda: NodejsFunction;

  constructor(scope: Construct, id: string, { async, ...props }: EndpointFunctionProps) {
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
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources, nor does the description of composite alarms.',
    });

    this.lambda = new NodejsFunction(this, 'Function', {
      ...props,
      entry: fileInProject(`functions/${props.entry}${ENDING}`),
      projectRoot: fileInProject('.'),
      // No package is installed into the bundle, and the published package has no lock file.
      depsLockFilePath: fileInProject('package.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      ...async,
      // An event that came without waiting for its answer must not create an endpoint twice.
      retryAttempts: async === undefined ? 0 : ASYNC_RETRIES,
      awsSdkConnectionReuse: false,
      // Executions that are under way keep calling the version that they started with.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      bundling: FUNCTION_BUNDLING,
    });
  }
}

/** `.ts` in the repository, `.js` in the published package. */
const ENDING = extname(import.meta.url);

function fileInProject(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
