import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';

const NO_PERMISSION = /^AccessDenied|^NotAuthorized|^UnauthorizedOperation/;

/** Whether AWS says that a permission is missing, also behind another error. */
export function lacksPermission(error: unknown): boolean {
  if (NO_PERMISSION.test(errorNameOf(error))) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause !== undefined && lacksPermission(cause);
}

/** What to do when the role of a function does not allow a call. @param place Where a configuration keeps it. */
export function adviceOnRetired(what: string, place: string): string {
  return `Put ${what} under ${place} in the configuration, and deploy.`;
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
