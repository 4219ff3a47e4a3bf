import { BedrockAgentCoreControlServiceException } from '@aws-sdk/client-bedrock-agentcore-control';
import type { Instant } from '../../../domain/clock.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../../domain/errors.ts';
import {
  adviceOnAccess,
  adviceOnRetired,
  asMissingPermission,
  isThrottled,
} from '../../aws/aws-errors.ts';
import {
  type Asked,
  classifyExchange,
  describe,
  type Fault,
  terminal,
} from '../../http/classify-exchange.ts';
import { excerptOf, readJson } from '../../http/excerpt.ts';
import type { HttpAnswer, NoAnswer } from '../../http/send-request.ts';

/** Nothing was sent, because there are no credentials to sign it with. The SDK has looked in every place for them. */
export function faultOfCredentials(error: unknown): Fault {
  const reason = `${errorNameOf(error)}: ${excerptOf(errorMessageOf(error))}`;
  const message = withAdvice(`nothing was sent: no credentials for AWS: ${reason}`, error);
  return terminal(new SteprollError(ErrorName.UpstreamAuth, message, { cause: error }));
}

interface FailedTry {
  readonly asked: Asked;
  readonly exchange: HttpAnswer | NoAnswer;
  /** What the SDK made of the exchange. */
  readonly error: unknown;
  readonly now: Instant;
  readonly signal: AbortSignal;
  /** Whether somebody still waits for the call. */
  readonly isWanted: boolean;
}

/** What an exchange means that was no success. */
export function faultOfExchange(failed: FailedTry): Fault {
  const { asked, exchange, now, signal } = failed;
  const fault = classifyExchange(asked, exchange, { now, abortReason: signal.reason });
  if (fault.kind === 'answer') return faultOfReading(failed, fault);
  return exchange.kind === 'answer'
    ? underAwsName(failed, exchange.status, fault)
    : { ...fault, repeatable: fault.repeatable || isWorthRepeating(failed, exchange) };
}

/** A failure that we found ourselves would come again, unless it is time. */
function isWorthRepeating({ isWanted }: FailedTry, { sent, cause }: NoAnswer): boolean {
  if (cause instanceof SteprollError && cause.name !== ErrorName.UpstreamTimeout) return false;
  return isWanted && sent;
}

/** AWS throttles and refuses credentials under several statuses: the name of an error says more than its status. */
function underAwsName({ asked, error }: FailedTry, httpStatus: number, fault: Fault): Fault {
  const { retryAfterMs } = fault;
  const name = ourNameOf(error) ?? errorNameOf(fault.error);
  const said = isNamed(error)
    ? `${describe(asked)}: ${httpStatus} ${error.name}: ${excerptOf(error.message)}`
    : errorMessageOf(fault.error);
  const isThrottled = name === ErrorName.UpstreamThrottled;
  const denied = `${said}\n${adviceOnRetired('the runtime')}`;
  return {
    kind: 'fault',
    error:
      asMissingPermission(error, denied) ??
      new SteprollError(name as ErrorName, withAdvice(said, error), {
        // Without a name this is a parser's error, which quotes the body.
        cause: isNamed(error) ? error : fault.error,
        httpStatus,
        ...(retryAfterMs !== null && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
      }),
    repeatable: isThrottled || fault.repeatable || hadWrongTime(error),
    retryAfterMs,
    holdsEveryCall: isThrottled || fault.holdsEveryCall,
  };
}

function ourNameOf(error: unknown): ErrorName | null {
  if (isThrottled(error)) return ErrorName.UpstreamThrottled;
  return adviceOnAccess(error) === null ? null : ErrorName.UpstreamAuth;
}

/** An answer that something other than the service gave, such as a proxy, has no name that means anything. */
function isNamed(error: unknown): error is Error {
  return error instanceof BedrockAgentCoreControlServiceException && !/^Unknown/.test(error.name);
}

/** The clock of this machine is wrong. The SDK has just learned the service's time from the answer. */
function hadWrongTime(error: unknown): boolean {
  return (
    error instanceof BedrockAgentCoreControlServiceException &&
    'clockSkewCorrected' in error.$metadata
  );
}

/** A yes that cannot be read. Either the service said it, or something else answered in its place. */
function faultOfReading({ asked, error }: FailedTry, answer: HttpAnswer): Fault {
  const cause = reasonOfReading(answer, describe(asked), error);
  if (!asked.writes) return terminal(cause);
  return terminal(
    new SteprollError(ErrorName.OutcomeUnknown, cause.message, {
      cause,
      httpStatus: answer.status,
    }),
  );
}

function reasonOfReading(answer: HttpAnswer, source: string, error: unknown): SteprollError {
  if (error instanceof SteprollError) return error;
  try {
    readJson(answer, source);
  } catch (fault) {
    if (fault instanceof SteprollError) return fault;
  }
  const message = `${source}: not what the interface says: ${excerptOf(errorMessageOf(error))}`;
  return new SteprollError(ErrorName.UpstreamProtocol, message, { cause: error });
}

function withAdvice(message: string, error: unknown): string {
  const advice = adviceOnAccess(error);
  return advice === null ? message : `${message}\n${advice}`;
}
