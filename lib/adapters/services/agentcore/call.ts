import type {
  $Command,
  BedrockAgentCoreControlClient,
  BedrockAgentCoreControlClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-bedrock-agentcore-control';
import type * as z from 'zod';
import { checkAnswer } from '../../../contract/service/wire-faults.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { describe, type Fault } from '../../http/classify-exchange.ts';
import type { Connection } from '../../http/connection.ts';
import { rememberSecret } from '../../http/known-secrets.ts';
import { createCaller } from '../../http/retry.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type NoAnswer,
  untilAborted,
  type WhyNot,
  withDeadline,
} from '../../http/send-request.ts';
import { faultOfCredentials, faultOfExchange } from './faults.ts';

interface AgentCoreCallOptions {
  readonly client: BedrockAgentCoreControlClient;
  readonly connection: Connection;
  /** How many sockets the connection has. */
  readonly sockets: number;
  readonly clock: Clock;
  /** Milliseconds for a call with its retries and waits, once a socket is there. */
  readonly deadlineMs: number;
  readonly random: () => number;
}

interface CallRequest<Input extends ServiceInputTypes, Output extends ServiceOutputTypes, Result> {
  /** Answers a new command with the same input, because each try needs a command of its own. */
  readonly createCommand: () => $Command<
    Input,
    Output,
    BedrockAgentCoreControlClientResolvedConfig,
    ServiceInputTypes,
    ServiceOutputTypes
  >;
  readonly writes: boolean;
  readonly answer: z.ZodType<Result>;
}

export type AgentCoreCall = <I extends ServiceInputTypes, O extends ServiceOutputTypes, Result>(
  request: CallRequest<I, O, Result>,
  signal?: AbortSignal,
) => Promise<Result>;

/** So long one try of a read waits for its answer. Then the default deadline leaves time for another one. */
const TRY_MS = 5_000;

/**
 * Calls to AgentCore's control plane. The SDK finds the credentials, signs the requests and reads the answers, but
 * it neither sends nor retries: our connection, retries and clock do that for every service. A read is tried up to 3
 * times. A write is sent at most once, like every write: its client token is for a repeat after another look.
 */
export function createAgentCoreCall(options: AgentCoreCallOptions): AgentCoreCall {
  const { client, connection, clock } = options;
  const caller = createCaller(options);

  /** The credentials were refused, so that those that are kept may have been replaced. */
  let wasRefused = false;

  return async (request, callerSignal) => {
    const { writes } = request;
    const { value } = await caller.call(writes, callerSignal, (signal, whyNot) => async () => {
      const result = writes
        ? await sendOnce(request, signal, signal, whyNot)
        : await withDeadline(clock, TRY_MS, signal, (own) => sendOnce(request, own.signal, signal));
      wasRefused = result.kind === 'fault' && hasNoAccess(result.error);
      return result;
    });
    return value;
  };

  async function sendOnce<I extends ServiceInputTypes, O extends ServiceOutputTypes, Result>(
    { createCommand, writes, answer }: CallRequest<I, O, Result>,
    signal: AbortSignal,
    callSignal: AbortSignal,
    whyNot?: WhyNot,
  ): Promise<Answered<Result> | Fault> {
    const hindrance = await takeCredentials(signal);
    if (hindrance !== null) return hindrance;
    const command = createCommand();
    const exchanges: Exchange[] = [];
    command.middlewareStack.add(
      () => async (step) => {
        const request = toHttpRequest(step.request as SdkRequest);
        rememberSecret(request.headers['x-amz-security-token'] ?? '');
        const result = await connection.send(request, signal, whyNot);
        exchanges.push({ request, result });
        if (result.kind === 'no-answer') throw result.cause;
        return { response: toSdkResponse(result), output: undefined as never };
      },
      // This is the place next to the network, so the SDK's own handler is never asked.
      { step: 'deserialize', priority: 'low', name: 'sendOverConnection' },
    );
    try {
      const output: unknown = await client.send(command);
      const source = exchanges.map(({ request }) => describe(request)).join();
      return { kind: 'answer', value: checkAnswer(answer, output, source) };
    } catch (error) {
      const [exchange] = exchanges;
      // Without an exchange this is no answer of the service but a mistake in steproll or in the SDK.
      if (exchange === undefined) throw error;
      const { request, result } = exchange;
      return faultOfExchange({
        asked: { method: request.method, path: request.path, writes },
        exchange: result,
        error,
        now: clock.now(),
        signal,
        isWanted: !callSignal.aborted,
      });
    }
  }

  /** The SDK keeps credentials until they expire, or were refused. `null` when there are some, otherwise why there are none. */
  async function takeCredentials(signal: AbortSignal): Promise<Fault | null> {
    try {
      await untilAborted(client.config.credentials({ forceRefresh: wasRefused }), signal);
      return null;
    } catch (error) {
      if (signal.aborted) throw error;
      return faultOfCredentials(error);
    }
  }
}

interface Answered<Result> {
  readonly kind: 'answer';
  readonly value: Result;
}

interface Exchange {
  readonly request: HttpRequest;
  readonly result: HttpAnswer | NoAnswer;
}

function hasNoAccess(error: unknown): boolean {
  return error instanceof SteprollError && error.name === ErrorName.UpstreamAuth;
}

interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function toHttpRequest({ method, path, query = {}, headers, body }: SdkRequest): HttpRequest {
  const parts = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ''))}`,
  );
  return {
    method: method as HttpRequest['method'],
    path: parts.length === 0 ? path : `${path}?${parts.join('&')}`,
    headers,
    body: body instanceof Uint8Array ? new TextDecoder().decode(body) : body,
  };
}

function toSdkResponse({ status, headers, body }: HttpAnswer) {
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  // The SDK turns the body that it gets into an object of another class.
  return { statusCode: status, headers: Object.fromEntries(single), body: new Uint8Array(body) };
}
