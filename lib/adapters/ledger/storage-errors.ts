import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';

/**
 * Gives an error of the storage the ledger's own name. An error of the ledger itself stays as it is; one about what is
 * stored says where that is.
 *
 * @param remedy What helps, in a sentence without its end. @default - it is not known
 */
export function asLedgerError(error: unknown, where: string, remedy?: string): SteprollError {
  if (error instanceof SteprollError) {
    if (error.name !== ErrorName.IncompatibleState) return error;
    return new SteprollError(error.name, `${where} cannot be read: ${error.message}`, {
      cause: error,
    });
  }
  const why = `${errorNameOf(error)}: ${errorMessageOf(error)}`;
  const then = remedy === undefined ? '' : `. ${remedy}.`;
  const message = `${where} cannot be read or written: ${why}${then}`;
  return new SteprollError(ErrorName.LedgerUnavailable, message, { cause: error });
}
