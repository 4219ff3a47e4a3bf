import type { Config } from '../contract/config/config.ts';
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
  const faults = [
    faultOf(() => secretsOf(service, tls)),
    ...asked.flatMap(({ gate, said }) => gate.faultsOnAws?.(said) ?? []),
    ...asked.flatMap(({ name, gate, said }) =>
      Object.entries(gate.secrets?.(said) ?? {}).map(([place, source]) =>
        faultOf(() => awsSecretOf(`verify.${name}${place}`, source)),
      ),
    ),
  ].filter((fault) => fault !== null);
  if (faults.length === 0) return;
  throw new SteprollError(ErrorName.InvalidInput, [...new Set(faults)].join('; '));
}

function faultOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return errorMessageOf(error);
  }
}
