import { ArnFormat, type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  type EventInvokeConfigOptions,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BundledFor } from './bundle-function.ts';
import { type CodeFile, putBesideCode } from './code-file.ts';
import { functionCode } from './function-code.ts';
import { faultOfSize } from './function-env.ts';
import type { ServiceNetwork } from './service-network.ts';
import { tuningOf } from './tuning.ts';

interface EndpointFunctionProps {
  /** Name of the file in functions/, without its ending. */
  readonly entry: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Is put beside the code. @default - the code is alone */
  readonly file?: CodeFile;
  /** The kind of service that the function calls. @default - it calls none */
  readonly serviceKind?: BundledFor;
  /**
   * For functions whose callers do not wait for an answer. @default - a call that failed is lost and not tried again
   */
  readonly async?: AsyncCalls;
  /** The network that it runs in. @default - none, and the internet is reached */
  readonly network?: ServiceNetwork | undefined;
}

/** For functions that may run twice for one event. */
interface AsyncCalls extends Pick<EventInvokeConfigOptions, 'maxEventAge' | 'onFailure'> {
  /** Gets the events on which the function failed. @default - they go to `onFailure` */
  readonly deadLetterQueue?: IQueue;
}

/**
 * The first retry comes after a minute, the second two minutes later:
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const ASYNC_RETRIES = 2;

/** One of steproll's Lambda functions, with its own role and its own log group. */
export class EndpointFunction extends Construct {
  readonly lambda: LambdaFunction;

  /** @param id The name of the function, by which it is tuned. */
  constructor(
    scope: Construct,
    id: string,
    { async, entry, serviceKind = 'none', file, network, ...props }: EndpointFunctionProps,
  ) {
    super(scope, id);
    const { logRetention, memorySize, layers = [], reservedConcurrency = {} } = tuningOf(this);
    const reserved = Object.entries(reservedConcurrency).find(([name]) => name === id)?.[1];
    const logGroup = new LogGroup(this, 'Logs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Of the function ${entry}, alone`,
    });
    logGroup.grantWrite(role);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        "X-Ray knows no resources, nor do the description of alarms, AgentCore's lists and network interfaces that Lambda will make.",
    });

    if (network !== undefined) {
      // Lambda uses these rights, and those for interfaces that do not exist yet can name none.
      role.addToPolicy(new PolicyStatement({ actions: INTERFACE_ACTIONS, resources: ['*'] }));
      // Only calls of a function's own code have this key. It is a pattern, because no function is there before its role.
      const anyFunction = Stack.of(this).formatArn({
        ...{ service: 'lambda', resource: 'function', resourceName: '*' },
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
      role.addToPolicy(
        new PolicyStatement({
          effect: Effect.DENY,
          actions: INTERFACE_ACTIONS,
          resources: ['*'],
          conditions: { ArnLike: { 'lambda:SourceFunctionArn': anyFunction } },
        }),
      );
    }
    this.lambda = new LambdaFunction(this, 'Function', {
      ...props,
      code: functionCode(this, entry, serviceKind),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize,
      ...(layers.length > 0 && { layers: [...layers] }),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      ...async,
      ...(network && {
        vpc: network.vpc,
        vpcSubnets: network.vpcSubnets,
        securityGroups: network.securityGroups,
      }),
      // An event whose sender does not wait for the answer must not create an endpoint twice.
      retryAttempts: async === undefined ? 0 : ASYNC_RETRIES,
      // Executions under way keep calling the version that they started with.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    if (file !== undefined) putBesideCode(this.lambda, file);
    // This is a validation, because aspects of others may add variables until the synthesis.
    this.node.addValidation({
      validate: () => {
        const { environment } = this.lambda.node.defaultChild as CfnFunction;
        const { variables = {} } = Stack.of(this).resolve(environment) ?? {};
        return [faultOfSize(variables)].flatMap((fault) => fault ?? []);
      },
    });
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html */
const INTERFACE_ACTIONS = [
  ...['ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'],
  ...['ec2:DeleteNetworkInterface', 'ec2:AssignPrivateIpAddresses'],
  'ec2:UnassignPrivateIpAddresses',
];

/** Tells cdk-nag that a function whose callers wait for its answer needs no dead-letter queue. */
export function acknowledgeNoDeadLetters(lambda: IFunction): void {
  const reason =
    'The workflow and pipelines wait for the answer and get the error. The stack sends it no events.';
  Validations.of(lambda).acknowledge(
    { id: 'Serverless-LambdaDLQ', reason },
    { id: 'Serverless-LambdaAsyncFailureDestination', reason },
  );
}
