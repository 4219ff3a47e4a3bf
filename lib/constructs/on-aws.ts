import type { Config } from '../contract/config/config.ts';
import type { SecretSource } from '../contract/parsing/secret-source.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { awsSecretOf } from './blocks/grants.ts';
import { gatesIn, secretsOfGates, secretsOfService } from './blocks/needed-rights.ts';

/**
 * Refuses what deployed functions cannot do, before anything is written.
 *
 * @throws `InvalidInput` for gates that cannot be asked on AWS, and for secrets that functions cannot read.
 */
export function refuseOnAws(config: Config): void {
  const asked = gatesIn(config);
  const faults = [
    ...[...secretsOfService(config), ...secretsOfGates(asked)].flatMap(([field, source]) =>
      faultOf(field, source),
    ),
    ...asked.flatMap(({ gate, said }) => gate.faultsOnAws?.(said) ?? []),
  ];
  if (faults.length === 0) return;
  throw new SteprollError(ErrorName.InvalidInput, [...new Set(faults)].join('; '));
}

function faultOf(field: string, source: SecretSource): string[] {
  try {
    awsSecretOf(field, source);
    return [];
  } catch (error) {
    return [errorMessageOf(error)];
  }
}
