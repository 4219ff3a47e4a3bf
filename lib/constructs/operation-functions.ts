import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Config } from '../contract/config.ts';
import { writeServiceEnv } from '../contract/function-env.ts';
import { EndpointFunction } from './endpoint-function.ts';

/** One call of the service, which gives up after 10 s by itself, and a cold start. */
const TIMEOUT = Duration.seconds(30);

/** The operations that the workflow has no use for: pipelines call them. */
export class OperationFunctions extends Construct {
  readonly lambdas: { readonly list: IFunction; readonly create: IFunction };

  constructor(scope: Construct, id: string, { config }: { readonly config: Config }) {
    super(scope, id);
    const add = (entry: string, description: string): IFunction => {
      const environment = writeServiceEnv(config);
      const props = { entry, description, environment, timeout: TIMEOUT };
      return new EndpointFunction(this, entry, props).lambda;
    };
    this.lambdas = {
      list: add('list', 'Lists the endpoints of a runtime, page by page'),
      create: add('create', 'Creates an endpoint on a runtime'),
    };
  }
}
