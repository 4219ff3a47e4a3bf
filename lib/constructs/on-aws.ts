import type { Config } from '../contract/config/config.ts';
import type { SecretSource } from '../contract/parsing/secret-source.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { askedGates } from '../gates/gates.ts';
import { awsSecretOf, secretsOf } from './blocks/grants.ts';

/**
 * Refuses what deployed functions cannot do, before anything is written.
 *
 * @throws `InvalidInput` for gates that cannot be asked on AWS, and for secrets that functions cannot read.
 */
export function refuseOnAws({ service, tls, policy, runtimes, groups = {} }: Config): void {
  const policies = [
    policy,
    ...[runtimes, groups].flatMap((all) => Object.values(all).map((one) => one.policy)),
  ];
  const asked = policies.flatMap(({ verify }) => askedGates(verify));
  const ofGates = asked.flatMap(({ name, gate, said }) =>
    Object.entries(gate.secrets?.(said) ?? {}).map(
      ([place, source]) => [`verify.${name}${place}`, source] as const,
    ),
  );
  const faults = [
    ...[...secretsOf(service, tls), ...ofGates].flatMap(([field, source]) =>
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
