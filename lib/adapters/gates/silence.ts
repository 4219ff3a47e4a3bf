import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { type GateAnswer, silent } from '../../gates/gate.ts';
import { adviceOnAccess, adviceOnSettings, asMissingPermission } from '../aws/aws-errors.ts';
import { hideKnownSecrets } from '../http/known-secrets.ts';

/** The answer when CloudWatch gives none. Its errors are known by their names; a missing region has only a message. */
export function silenceOf(error: unknown): GateAnswer {
  const name = errorNameOf(error);
  const detail = hideKnownSecrets(name === 'Error' ? errorMessageOf(error) : name);
  if (asMissingPermission(error, detail) !== null) return denied(detail);
  return silent(detail, adviceOnSettings(error), adviceOnAccess(error) !== null);
}

/** The answer when nothing was asked, because the secret of a gate was not there, or its program. */
export function unasked(error: unknown): GateAnswer {
  const said = hideKnownSecrets(errorMessageOf(error));
  const isDenied = errorNameOf(error) === ErrorName.PermissionMissing;
  return isDenied ? denied(said.split('\n')[0] ?? '') : silent(said);
}

/** The name of the error tells an outcome that the permission was taken. */
function denied(said: string): GateAnswer {
  return silent(`${ErrorName.PermissionMissing}: ${said}`);
}
