import { Validations } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/** For cdk-nag: a function whose callers wait for its answer needs no dead-letter queue. */
export function acknowledgeNoDeadLetters(lambda: IFunction): void {
  const reason =
    'The workflow and pipelines wait for the answer and get the error. The stack sends it no events.';
  Validations.of(lambda).acknowledge(
    { id: 'Serverless-LambdaDLQ', reason },
    { id: 'Serverless-LambdaAsyncFailureDestination', reason },
  );
}
