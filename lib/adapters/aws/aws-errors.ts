import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';

/**
 * Gives an error of the SDK one of our names and adds what to do next. An error that is ours already stays as it is.
 *
 * @param what The action that failed: `read the stack Steproll`.
 */
export function asAwsError(error: unknown, what: string): SteprollError {
  if (error instanceof SteprollError) return error;
  const message = `Could not ${what}: ${errorNameOf(error)}: ${errorMessageOf(error)}\n${adviceOn(error)}`;
  return new SteprollError(ErrorName.AwsUnavailable, message, { cause: error });
}

/** What to do when AWS gives no access, which waiting does not mend; `null` for any other error. */
export function adviceOnAccess(error: unknown): string | null {
  const name = errorNameOf(error);
  if (NO_CREDENTIALS.test(name)) {
    return 'Sign in to AWS (aws sso login), or name a profile that has credentials in AWS_PROFILE.';
  }
  if (lacksPermission(error)) {
    return 'Have this permission added to the role that you use: docs/permissions.md lists what the command line needs.';
  }
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? null : adviceOnAccess(cause);
}

/** The names that AWS and its SDK use for credentials that are missing, expired or unknown. */
const NO_CREDENTIALS =
  /^(CredentialsProviderError|TokenProviderError|ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException|InvalidSignatureException|SignatureDoesNotMatch|InvalidAccessKeyId|AuthFailure)$/;

/** Whether AWS refuses a call only because there are too many. */
export function isThrottled(error: unknown): boolean {
  return THROTTLED.test(errorNameOf(error));
}

const THROTTLED = /^(Throttl|TooManyRequests|RequestLimitExceeded)/;

const NO_REGION = 'Region is missing';

/** What a person has to do before AWS can answer at all; `null` when another try may do. */
export function adviceOnSettings(error: unknown): string | null {
  const isWithoutRegion = errorMessageOf(error).startsWith(NO_REGION);
  if (isWithoutRegion) return 'Set AWS_REGION, or name a profile that has a region in AWS_PROFILE.';
  return adviceOnAccess(error);
}

function adviceOn(error: unknown): string {
  const advice = adviceOnSettings(error);
  if (advice !== null) return advice;
  return 'Nothing is known of what AWS did. Try again; AWS_REGION and AWS_ENDPOINT_URL say where it is looked for.';
}

const NO_PERMISSION = /^AccessDenied|^NotAuthorized|^UnauthorizedOperation/;

/** Whether AWS says that a permission is missing, also behind another error. */
function lacksPermission(error: unknown): boolean {
  if (NO_PERMISSION.test(errorNameOf(error))) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause !== undefined && lacksPermission(cause);
}

/** What to do when the role of a function does not allow a call. @param what What the call needs. */
export function adviceOnRetired(what: string): string {
  return `Name the earlier configuration that has ${what} under retired, and deploy.`;
}

/**
 * The error of a call that the role of a function does not allow; `null` for any other error, and where somebody's own
 * credentials are used. All versions of a function have the role of the newest deployment.
 *
 * @param said What has failed, and what AWS says of it.
 */
export function asMissingPermission(error: unknown, said: string): SteprollError | null {
  const isFunction = process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
  if (!isFunction || !lacksPermission(error)) return null;
  return new SteprollError(ErrorName.PermissionMissing, said, { cause: error });
}
