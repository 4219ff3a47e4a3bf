import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { type CheckAnswer, readHookAnswer } from '../../gates/check-answer.ts';
import type { SentQuestion } from '../../gates/checks.ts';
import { silent } from '../../gates/gate.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { jsonWithoutSecrets } from '../http/known-secrets.ts';
import { withDeadline } from '../http/send-request.ts';
import { systemClock } from '../machine/clock.ts';
import { silenceOf } from './silence.ts';

/**
 * Asks a function once, and waits for what it answers. A function that throws has not answered. When AWS does not say
 * whether it was called, the same question comes again, with the same id.
 */
export async function invokeFunction(
  arn: string,
  question: SentQuestion,
  timeoutSeconds: number,
  { client, signal: given }: InvokeTools = {},
): Promise<CheckAnswer> {
  const lambda = client ?? clientFor(arn);
  const command = new InvokeCommand({ FunctionName: arn, Payload: JSON.stringify(question) });
  try {
    const { FunctionError, Payload } = await withDeadline(
      systemClock,
      timeoutSeconds * 1_000,
      given,
      ({ signal }) => lambda.send(command, { abortSignal: signal }),
    );
    if (FunctionError !== undefined) return silent(`the function has failed: ${FunctionError}`);
    const said = new TextDecoder().decode(Payload);
    return readHookAnswer(jsonWithoutSecrets(said, ['message']), 'it answered');
  } catch (error) {
    const isLate = errorNameOf(error) === ErrorName.UpstreamTimeout;
    return isLate || errorNameOf(error) === 'AbortError'
      ? silent(`no answer in ${timeoutSeconds} s`)
      : silenceOf(error);
  }
}

interface InvokeTools {
  /** @default - one for the function's region */
  readonly client?: Pick<LambdaClient, 'send'>;
  /** Gives the question up. @default - nobody does */
  readonly signal?: AbortSignal | undefined;
}

const clients = new Map<string, LambdaClient>();

function clientFor(arn: string): LambdaClient {
  const region = arn.split(':')[3] ?? '';
  const { connectionTimeout, httpsAgent } = AWS_TIMEOUTS;
  const requestHandler = { connectionTimeout, httpsAgent };
  const client = clients.get(region) ?? new LambdaClient({ region, requestHandler });
  clients.set(region, client);
  return client;
}
