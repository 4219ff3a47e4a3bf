import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Config } from '../contract/config.ts';
import { writeFunctionEnv } from '../contract/function-env.ts';
import { acknowledgeNoDeadLetters } from './acknowledge-no-dead-letters.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { grantSecret } from './grant-secret.ts';

/** One call of the service, which gives up after 10 s by itself, and a cold start. */
const LIST_TIMEOUT = Duration.seconds(30);

/** The same, a list before, and when no answer comes three more within half a minute. */
const CREATE_TIMEOUT = Duration.seconds(120);

/** The operations that the workflow has no use for: pipelines call them. */
export class OperationFunctions extends Construct {
  readonly lambdas: { readonly list: IFunction; readonly create: IFunction };

  constructor(scope: Construct, id: string, { config }: { readonly config: Config }) {
    super(scope, id);
    const add = (entry: string, timeout: Duration, description: string): IFunction => {
      const { endpointUrl, auth, wire } = config;
      const environment = writeFunctionEnv({ endpointUrl, auth, wire });
      const props = { entry, description, environment, timeout };
      const { lambda } = new EndpointFunction(this, entry, props);
      acknowledgeNoDeadLetters(lambda);
      grantSecret(lambda, auth);
      return lambda;
    };
    this.lambdas = {
      list: add('list', LIST_TIMEOUT, 'Lists the endpoints of a runtime, page by page'),
      create: add('create', CREATE_TIMEOUT, 'Creates an endpoint on a runtime'),
    };
  }
}
